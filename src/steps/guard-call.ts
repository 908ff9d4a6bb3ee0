import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { decide } from '../firewall/decide.ts'
import { describeCall } from '../firewall/describe-call.ts'
import { rulesForRole } from '../firewall/rules-for-role.ts'
import type { Rules } from '../firewall/rules.ts'
import type { Attempt } from '../model/durable.ts'
import { expand } from '../model/template.ts'
import { denied } from '../model/tool-call.ts'
import type { Decision, HookDialect, ToolCall } from '../model/tool-call.ts'
import { openHookChannel } from '../platform/hook-channel.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import { filesOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'
import { writeEarlyWords } from './early-words.ts'
import type { Watch } from './watch-agent.ts'

/** The firewall of one call, for as long as the agent's process lives. */
export interface Guard {
  /** What the provider's tool has to run before every tool call. */
  readonly command: string
  /** Stops an agent whose tool did something that it had not asked about. */
  readonly watch: Watch
  counts(): { readonly allowed: number; readonly denied: number }
  close(): Promise<void>
}

/** More of them are in the file of decisions, but no longer in the journal. */
const mostNotes = 50

/** Answers the questions of one call's tool. Each decision is a line in a file of the call, each denial also a fact of the run. */
export async function openGuard(call: AgentCall, dialect: HookDialect, attempt: Attempt): Promise<Guard> {
  const files = filesOf(call.dir)
  const notes: Promise<void>[] = []
  const counts = { allowed: 0, denied: 0 }
  const keep = (tool: ToolCall, decision: Decision): void => {
    counts[decision.allow ? 'allowed' : 'denied']++
    const about = { tool: tool.name, what: describeCall(tool), rule: decision.rule, reason: decision.reason }
    const line = { at: new Date().toISOString(), kind: tool.kind, allow: decision.allow, ...about }
    appendFileSync(files.decisions, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    if (decision.allow || counts.denied > mostNotes) return
    const data = { step: call.step.id, call: call.call, ...about }
    notes.push(attempt.note({ type: 'tool.denied', role: call.step.role.title, data }).catch(() => {}))
  }
  const channel = await openHookChannel({
    ...{ channel: files.channel, bin: files.bin, path: call.site.env['PATH'] ?? '' },
    answer: async (raw) => {
      const tool = readQuestion(dialect, raw)
      if (tool === undefined) return { stdout: '', code: 0 }
      const decision = tool === 'garbage' ? garbage : decide(await rulesOf(call), tool)
      keep(tool === 'garbage' ? { kind: 'other', name: 'unreadable' } : tool, decision)
      return dialect.answer(decision)
    },
  })
  writeEarlyWords(call, await rulesOf(call))
  return {
    command: channel.command,
    watch: unasked(counts),
    counts: () => ({ ...counts }),
    close: async () => {
      await channel.close()
      await Promise.all(notes)
    },
  }
}

const garbage = denied('hook:unreadable', 'what was asked cannot be read')

function readQuestion(dialect: HookDialect, raw: string): ToolCall | 'garbage' | undefined {
  try {
    // What is not even JSON is nothing that a tool would say about its start.
    return dialect.read(JSON.stringify(JSON.parse(raw)))
  } catch {
    return 'garbage'
  }
}

async function rulesOf({ site, step, values, dir, gitDir }: AgentCall): Promise<Rules> {
  const mayWrite = step.role.mayWrite.map((pattern) => expand(pattern, values))
  return rulesForRole(
    { role: { ...step.role, mayWrite }, worktree: site.task.worktree },
    {
      places: [filesOf(dir).home],
      merging: (await lstatIfThere(join(gitDir, 'MERGE_HEAD'))) !== undefined,
      ...site.settings.firewall,
    },
  )
}

/** A tool that has done more than it was allowed did something without asking: its hook is not what stops it. */
function unasked(counts: { readonly allowed: number }): Watch {
  let done = 0
  return (event) => {
    if (event.type !== 'tool_result' || !event.ok) return undefined
    done++
    if (done <= counts.allowed) return undefined
    return {
      error: 'refused',
      message: `the agent's tool did something that it had not asked the firewall about (${event.id}), so it was stopped`,
    }
  }
}
