import { resolve } from 'node:path'
import { allowed, denied } from '../model/tool-call.ts'
import type { Decision, ToolCall } from '../model/tool-call.ts'
import { judgeShell } from './judge-shell.ts'
import { firstOf } from './objection.ts'
import type { Objection } from './objection.ts'
import { ownOpinion } from './own-rules.ts'
import type { Rules } from './rules.ts'
import { judgeRead, judgeWrite } from './scope.ts'

/** May this tool call happen? Pure: the same rules and the same call give the same decision, whoever asks. */
export function decide(rules: Rules, call: ToolCall): Decision {
  const objection = judge(rules, call)
  return objection ? denied(objection.rule, objection.why) : allowed(`${rules.set}:${call.kind}`)
}

function judge(rules: Rules, call: ToolCall): Objection | undefined {
  switch (call.kind) {
    case 'shell':
      return judgeShellCall(rules, call.command, call.cwd)
    case 'write':
      return judgePaths(rules, call.paths)
    case 'read':
      return firstOf(call.paths, (path) => judgeRead(rules, path, rules.worktree))
    case 'web':
      return judgeWeb(rules, call.url)
    case 'agent':
      return judgeAgent(rules, call.name)
    case 'mcp':
      return judgeNamed(rules, 'mcp', `${call.server}/${call.tool}`)
    case 'other':
      return judgeNamed(rules, 'tool', call.name)
  }
}

const noPath = { rule: 'write:unknown', why: 'it does not say which file it writes' }
const noAgents = { rule: 'agent:none', why: 'an agent starts no further agents; do the work yourself' }

function judgePaths(rules: Rules, paths: readonly string[]): Objection | undefined {
  return paths.length === 0 ? noPath : firstOf(paths, (path) => judgeWrite(rules, path, rules.worktree))
}

function judgeAgent(rules: Rules, name: string): Objection | undefined {
  return own(rules, 'agent', name) ?? (isAllowed(rules, 'agent', name) ? undefined : noAgents)
}

function judgeShellCall(rules: Rules, command: string, cwd: string | undefined): Objection | undefined {
  const folder = resolve(rules.worktree, cwd ?? '.')
  return judgeShell(rules, command, folder)
}

function judgeWeb(rules: Rules, url: string | undefined): Objection | undefined {
  const host = hostOf(url)
  const objection = own(rules, 'web', host)
  if (objection || isAllowed(rules, 'web', host) || rules.web) return objection
  return { rule: 'web:role', why: 'this role has no access to the web' }
}

function hostOf(url: string | undefined): string {
  if (url === undefined) return '*'
  return URL.canParse(url) ? new URL(url).hostname : url
}

/** Tools that nobody described are refused, until a rule of the user names them. */
function judgeNamed(rules: Rules, on: 'mcp' | 'tool', name: string): Objection | undefined {
  const objection = own(rules, on, name)
  if (objection || isAllowed(rules, on, name)) return objection
  return { rule: `${on}:unknown`, why: `the tool ${name} is not one that this role may use` }
}

type Named = 'web' | 'mcp' | 'tool' | 'agent'

function own(rules: Rules, on: Named, name: string): Objection | undefined {
  return ownOpinion(rules, { on, name }).objection
}

function isAllowed(rules: Rules, on: Named, name: string): boolean {
  return ownOpinion(rules, { on, name }).allowedBy !== undefined
}
