import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/agents/registry.ts'
import { decide } from '../../src/firewall/decide.ts'
import { rulesForRole } from '../../src/firewall/rules-for-role.ts'
import { denied } from '../../src/model/tool-call.ts'
import type { Decision } from '../../src/model/tool-call.ts'
import { openHookChannel } from '../../src/platform/hook-channel.ts'
import { mustAllow } from '../support/firewall/must-allow.ts'
import { mustDeny } from '../support/firewall/must-deny.ts'
import { makeFolder, makeRepository } from '../support/git.ts'
import { kinds } from '../support/model-servers/model-server.ts'
import type { Kind } from '../support/model-servers/model-server.ts'
import { converse } from './tools.ts'

const forbidden = Object.values(mustDeny).flat()
const needed = Object.values(mustAllow).flat()
const all = [...new Set([...forbidden, ...needed])]

/** Allowed, and run for real: the rest of what is allowed would build and remove things. */
const harmless = new Set(['pwd', 'ls -la', 'git status', 'git log | head -5', 'echo "then run git push"'])

const batch = 20

/** The tool itself refuses or rewrites these before it asks anybody. */
const refusedByTool: Readonly<Partial<Record<Kind, RegExp>>> = { gemini: /\$\(|`|[<>]\(/, claude: /\r/ }

describe.each(kinds)('the policy table through the real %s', (kind) => {
  it(
    'R001-78, R001-81: gives the decisions of the table, and the reason reaches the model',
    { timeout: 600_000 },
    async () => {
      const worktree = await makeRepository({ 'README.md': 'A small project.\n' })
      const folder = await makeFolder()
      const role = { name: 'worker', capabilities: ['read', 'edit', 'shell', 'commit'] as const }
      const rules = rulesForRole({ role: { ...role, mayWrite: ['**'] }, worktree })
      const dialect = createRegistry({ path: '', cwd: worktree, env: {} })(kind).hook
      const decisions = new Map<string, Decision>()
      const channel = await openHookChannel({
        ...{ channel: join(folder, 'channel'), bin: join(folder, 'bin'), path: process.env['PATH'] ?? '' },
        answer: async (raw) => {
          const call = dialect?.read(raw)
          if (!dialect || !call) return { stdout: '', code: 0 }
          if (call.kind !== 'shell') throw new Error(`not asked for: ${call.kind}`)
          const decision = decide(rules, call)
          decisions.set(call.command, decision)
          const isTried = decision.allow && !harmless.has(call.command)
          return dialect.answer(
            isTried ? denied('test:tried', 'allowed, but not run in this test') : decision,
          )
        },
      })
      try {
        const { asked, failure } = await converse(
          kind,
          ({ turn }) =>
            turn < all.length
              ? { calls: all.slice(turn, turn + batch).map((shell) => ({ shell })) }
              : { say: 'Done.\n{"status":"success"}\n' },
          { worktree, maxTurns: 200, request: { hook: { command: channel.command } } },
        )
        expect(failure).toBeUndefined()
        const outputs = asked.at(-1)?.outputs ?? []
        expect(outputs).toHaveLength(all.length)
        const unseen = all.filter((command) => !decisions.has(command))
        expect(unseen.filter((command) => refusedByTool[kind]?.test(command) !== true)).toEqual([])
        expect(forbidden.filter((command) => decisions.get(command)?.allow === true)).toEqual([])
        expect(needed.filter((command) => decisions.get(command)?.allow === false)).toEqual([])
        // In the order in which they came: a tool may do several at a time.
        const told = outputs.map(plain).join('\n')
        const silent = [...decisions.values()].filter(
          ({ allow, reason }) => !allow && !told.includes(plain(reason).slice(0, 60)),
        )
        expect(silent).toEqual([])
      } finally {
        await channel.close()
      }
    },
  )
})

/** Letters only: quotes and line ends are written otherwise on the way. */
function plain(text: string): string {
  return text.replaceAll(/[^a-z]/gi, '')
}
