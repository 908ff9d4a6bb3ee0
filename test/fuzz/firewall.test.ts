import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decide } from '../../src/firewall/decide.ts'
import { rulesForRole } from '../../src/firewall/rules-for-role.ts'
import { makeFolder } from '../support/git.ts'
import { programs } from './programs.ts'

const count = Number(process.env['BATON_FUZZ_COUNT'] ?? 5200)
const seed = Number(process.env['BATON_FUZZ_SEED'] ?? 20_261_116)

test(
  `no program that really runs a forbidden git command is allowed (seed ${seed})`,
  { timeout: 600_000 },
  async () => {
    const all = programs(count, seed)
    const ran = await runForReal(all)
    const forbidden = [...ran].filter(([, commands]) => commands.some(isForbidden)).map(([id]) => id)
    expect(ran.size).toBeGreaterThan(count / 4)
    expect(forbidden.length).toBeGreaterThan(count / 5)
    const rules = rulesForRole({
      role: { name: 'worker', capabilities: ['read', 'edit', 'shell', 'commit'], mayWrite: ['**'] },
      worktree: '/srv/tree',
    })
    const isAllowed = (program: string) =>
      decide(rules, { kind: 'shell', name: 'Bash', command: program }).allow
    const wrong = forbidden.map((id) => all[id] ?? '').filter(isAllowed)
    expect(wrong).toEqual([])
    // A firewall that denies everything would pass as well.
    const harmless = [...ran.keys()].filter((id) => !forbidden.includes(id)).map((id) => all[id] ?? '')
    expect(harmless.filter(isAllowed).length).toBeGreaterThan(harmless.length / 4)
  },
)

/** By its own, short list: looking and adding. */
function isForbidden([first = '', ...rest]: readonly string[]): boolean {
  const harmless = ['', 'status', 'log', 'add', 'commit', 'diff']
  return !harmless.includes(first) || rest.some((word) => /^--(amend|output)/.test(word))
}

/** Runs each program in a bash of its own folder, with a stub for git, and tells which git commands they ran. */
async function runForReal(all: readonly string[]): Promise<Map<number, string[][]>> {
  const dir = await makeFolder()
  const bin = join(dir, 'bin')
  const log = join(dir, 'log')
  mkdirSync(bin)
  writeFileSync(log, '')
  const stub = `#!/bin/sh\n{ printf '%s\\037' "$FUZZ_ID" "$@"; printf '\\n'; } >>${log}\nexit 1\n`
  writeFileSync(join(bin, 'git'), stub)
  chmodSync(join(bin, 'git'), 0o755)
  all.forEach((program, id) => writeFileSync(join(dir, `p${id}`), `${program}\n`))
  const halves = [0, 1].map(async (half) => {
    const work = join(dir, `work${half}`)
    mkdirSync(work)
    // Some run for ever: a loop whose end was mutated away.
    const one = `cd ${work}; FUZZ_ID=$n timeout -k 1 3 bash --norc ${dir}/p$n </dev/null >/dev/null 2>&1`
    const driver = `for ((n=${half}; n<${all.length}; n+=2)); do ${one}; done`
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: work, EMPTY: '', GIT_CEILING_DIRECTORIES: dir }
    const child = spawn('/bin/bash', ['--norc', '-c', driver], { cwd: work, env, stdio: 'ignore' })
    await once(child, 'close')
  })
  await Promise.all(halves)
  return readLog(log)
}

function readLog(log: string): Map<number, string[][]> {
  const ran = new Map<number, string[][]>()
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [id = '', ...words] = line.split('\u001F').slice(0, -1)
    if (!/^\d+$/.test(id)) continue
    ran.set(Number(id), [...(ran.get(Number(id)) ?? []), words])
  }
  return ran
}
