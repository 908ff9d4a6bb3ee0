import type { HookDialect } from '../model/tool-call.ts'
import { claudeShapes, mcpCall, preToolUseAnswer } from './claude-dialect.ts'
import type { AnswerShapes } from './hook-script.ts'
import { objectIn, textIn, wordIn } from './json-line.ts'

/** A word it does not know is taken for consent; so its consent is silence, and everything else a denial. */
export const codexShapes: AnswerShapes = { ...claudeShapes, allowSilently: true }

export const codexDialect: HookDialect = {
  read(raw) {
    const input = objectIn(raw)
    if (input?.['hook_event_name'] !== 'PreToolUse') return undefined
    const name = wordIn(input, 'tool_name')
    const command = wordIn(input['tool_input'], 'command')
    const cwd = textIn(input, 'cwd')
    if (name === 'Bash') return { name, kind: 'shell', command, ...(cwd === undefined ? {} : { cwd }) }
    if (name === 'apply_patch') return { name, kind: 'write', paths: pathsInPatch(command) }
    if (name === 'view_image')
      return { name, kind: 'read', paths: [textIn(input['tool_input'], 'path') ?? '.'] }
    if (name.endsWith('spawn_agent')) return { name, kind: 'agent' }
    return mcpCall(name) ?? { name, kind: 'other' }
  },
  answer: preToolUseAnswer,
}

/** `*** Add File: src/a.ts`, `*** Move to: src/b.ts` */
function pathsInPatch(patch: string): string[] {
  const lines = patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)
  return [...lines].map(([, path = '']) => path.trim())
}
