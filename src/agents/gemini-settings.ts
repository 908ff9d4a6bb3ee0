import { randomBytes } from 'node:crypto'
import type { AgentRequest } from '../model/agent.ts'
import { quoted } from './hook-script.ts'
import type { HookFiles } from './hook-script.ts'

const hookMs = 30_000

/** The home's settings.json: nothing of the user's own, and the hooks. A hook's name is random, so nobody can disable it by name. */
export function geminiSettings(hook: HookFiles, { login, maxTurns }: { login: boolean; maxTurns: number }) {
  const run = (command: string) => ({
    ...{ name: randomBytes(8).toString('hex'), type: 'command', command: quoted(command), timeout: hookMs },
  })
  return {
    security: {
      auth: { selectedType: login ? 'oauth-personal' : 'gemini-api-key' },
      environmentVariableRedaction: { enabled: true },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
    model: { maxSessionTurns: maxTurns },
    context: { includeDirectoryTree: false },
    advanced: { ignoreLocalEnv: true },
    // Those of the worktree are an agent's to write.
    skills: { enabled: false },
    ui: { showCompatibilityWarnings: false },
    hooksConfig: { enabled: true, notifications: false },
    hooks: {
      SessionStart: [{ hooks: [run(hook.start)] }],
      BeforeTool: [{ matcher: '*', hooks: [run(hook.ask)] }],
    },
  }
}

const always = ['enter_plan_mode', 'activate_skill', 'write_todos', 'update_topic', 'save_memory', 'ask_user']

/** A policy that takes from the model's list the tools that the role has no capability for. */
export function removedTools({ capabilities, mayWrite }: AgentRequest): string {
  const has = (name: (typeof capabilities)[number]) => capabilities.includes(name)
  const shell = has('shell') || has('commit') || has('merge')
  const removed = [
    ...always,
    ...(has('web_search') ? [] : ['web_fetch', 'google_web_search']),
    ...(has('investigate') ? [] : ['invoke_agent']),
    ...(shell ? [] : ['run_shell_command', 'list_background_processes', 'read_background_output']),
    ...(mayWrite ? [] : ['write_file', 'replace']),
  ]
  return `[[rule]]\ntoolName = ${JSON.stringify(removed)}\ndecision = "deny"\npriority = 900\n`
}
