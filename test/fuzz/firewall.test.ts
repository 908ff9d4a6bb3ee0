// Generated shell programs, judged by the firewall and run by a real bash: whatever really called git as it must not be
// called has to have been refused.
import { beforeAll, describe, expect, it } from 'vitest'
import { decide } from '../../src/firewall/decide.ts'
import { rulesForRole } from '../../src/firewall/rules-for-role.ts'
import type { Rules } from '../../src/firewall/rules.ts'
import { ownRules } from '../../src/model/firewall-rule.ts'
import { isWalled } from '../support/room.ts'
import { diceOf } from './dice.ts'
import { isForbidden } from './git-calls.ts'
import type { GitCall } from './git-calls.ts'
import { reallyRun } from './really-run.ts'
import { shellProgram } from './write-program.ts'

/** Another seed, or more of them: BATON_FUZZ_SEED=7 BATON_FUZZ_PROGRAMS=50000 npm run test:fuzz */
const seed = Number(process.env['BATON_FUZZ_SEED'] ?? 2026)
const count = Number(process.env['BATON_FUZZ_PROGRAMS'] ?? 5500)
const perRoom = 250

const capabilities = ['read', 'edit', 'shell', 'commit'] as const
const role = { name: 'worker', capabilities, mayWrite: ['**'] }

/** Any folder will do: what the firewall reads is where a program goes from it. */
const rules = rulesForRole({ role, worktree: '/srv/project/tree' })

describe.skipIf(!isWalled)('the firewall and a real bash', () => {
  const programs = generated()
  const guilty = new Map<number, GitCall>()
  /** Programs that called git at all. */
  const callers = new Set<number>()
  let allowed: readonly number[] = []

  beforeAll(async () => {
    const batches = Array.from(
      { length: Math.ceil(count / perRoom) },
      (_, at) => new Map([...programs].slice(at * perRoom, (at + 1) * perRoom)),
    )
    const work = async (): Promise<void> => {
      for (let batch = batches.pop(); batch; batch = batches.pop()) {
        for (const call of await reallyRun(batch)) {
          callers.add(call.program)
          if (isForbidden(call)) guilty.set(call.program, call)
        }
      }
    }
    await Promise.all([work(), work()])
    allowed = allowedBy({})
  }, 900_000)

  const allowedBy = (change: Partial<Rules>): number[] =>
    [...programs].flatMap(([number, command]) =>
      decide({ ...rules, ...change }, { kind: 'shell', name: 'shell', command }).allow ? [number] : [],
    )

  it('R001-82: no program that really runs a forbidden git command is allowed', () => {
    const holes = allowed.filter((number) => guilty.has(number))
    expect(holes.map((number) => ({ program: programs.get(number), ran: guilty.get(number)?.args }))).toEqual(
      [],
    )
  })

  it('compares enough: programs of each kind, allowed ones among them', () => {
    expect(programs.size).toBeGreaterThanOrEqual(Math.min(count, 5000))
    const share = (numbers: Iterable<number>): number => [...numbers].length / programs.size
    expect(share(guilty.keys())).toBeGreaterThan(0.2)
    expect(share(callers)).toBeGreaterThan(share(guilty.keys()))
    expect(share(allowed)).toBeGreaterThan(0.05)
    expect(allowed.filter((number) => callers.has(number)).length).toBeGreaterThan(20)
  })

  it('would find a hole: rules that let one forbidden command through are found out', () => {
    const user = ownRules('user', [{ allow: { shell: 'git push *' } }])
    expect(allowedBy({ user }).filter((number) => guilty.has(number))).not.toEqual([])
  })

  it('would find a hole: a list of forbidden words is found out', () => {
    const naive = /(^|[;&|\s])git\s+(push|checkout|reset|rebase|config|branch -D|tag|stash|switch)/
    const holes = [...guilty.keys()].filter((number) => !naive.test(programs.get(number) ?? ''))
    expect(holes.length).toBeGreaterThan(100)
  })
})

function generated(): Map<number, string> {
  const dice = diceOf(seed)
  const programs = new Set<string>()
  while (programs.size < count) programs.add(shellProgram(dice))
  return new Map([...programs].entries())
}
