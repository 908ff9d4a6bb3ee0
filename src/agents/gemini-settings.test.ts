import { describe, expect, it } from 'vitest'
import type { AgentRequest } from '../model/agent.ts'
import { removedTools } from './gemini-settings.ts'

/** The request is read for two of its parts only. */
function removed(capabilities: AgentRequest['capabilities'], mayWrite = false): string {
  return removedTools({ capabilities, mayWrite } as AgentRequest)
}

describe('the tools of Gemini CLI by the capabilities of a role', () => {
  it('R001-28: only who may investigate can call the agent that searches the code base', () => {
    expect(removed(['read'])).toContain('"invoke_agent"')
    expect(removed(['read', 'investigate'])).not.toContain('"invoke_agent"')
  })

  it('R001-30: only who may search the web has the tools for it', () => {
    expect(removed(['read'])).toContain('"google_web_search"')
    expect(removed(['read', 'web_search'])).not.toMatch(/google_web_search|web_fetch/)
  })

  it('who has neither shell nor files to write can only read', () => {
    expect(removed(['read'])).toMatch(/"run_shell_command".*"write_file"/)
    expect(removed(['read', 'commit'], true)).not.toMatch(/run_shell_command|write_file/)
  })
})
