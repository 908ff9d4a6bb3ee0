import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rulesForRole } from '../firewall/rules-for-role.ts'
import type { AgentCall } from './agent-call.ts'
import { withShim, writeEarlyWords } from './early-words.ts'

let dir: string
let call: AgentCall

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'baton-words-'))
  mkdirSync(join(dir, 'call', 'bin'), { recursive: true })
  const tree = join(dir, 'tree')
  mkdirSync(tree)
  execFileSync('git', ['init', '-q', '-b', 'task/7-thing', tree])
  call = {
    ...{ dir: join(dir, 'call'), gitDir: join(tree, '.git') },
    site: { task: { worktree: tree, branch: 'task/7-thing' } },
  } as unknown as AgentCall
  const role = { name: 'somebody', capabilities: ['read', 'edit', 'commit'] as const, mayWrite: ['**'] }
  writeFileSync(join(tree, 'a'), 'a')
  script('git add a; git -c user.name=x -c user.email=x@example.org commit -qm one')
  script('git -c user.name=x -c user.email=x@example.org commit --allow-empty -qm two')
  writeEarlyWords(call, rulesForRole({ role, worktree: tree }))
})

afterEach(() => rmSync(dir, { recursive: true }))

/** As a script would run it that nobody looked into. */
function script(text: string, cwd = join(dir, 'tree')) {
  const env = withShim({ PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', HOME: dir }, call)
  const { status, stderr } = spawnSync('sh', ['-c', text], { cwd, env, encoding: 'utf8' })
  return { status, stderr }
}

test('R001-81: a script that switches branches is told "Permission denied"', () => {
  for (const command of ['git checkout -b other', 'git switch -c other', 'git reset --hard', 'git push']) {
    const { status, stderr } = script(command)
    expect({ status, stderr }).toEqual({
      status: 126,
      stderr: expect.stringMatching(/^Permission denied: git /) as string,
    })
  }
})

test('what looks and adds goes through, and so does git in other repositories', () => {
  expect(script('git status --short && git log -1 --format=%s && git -C . diff').status).toBe(0)
  const another = join(dir, 'another')
  mkdirSync(another)
  expect(script('git init -q . && git checkout -q -b other', another).status).toBe(0)
})

test('past the shim, the hook of the refs keeps to one branch that only grows', () => {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const amend = script(
    `${real} -c user.name=x -c user.email=x@example.org commit --amend --allow-empty -qm other`,
  )
  expect(amend.stderr).toContain('Permission denied: history is only added to')
  expect(script(`${real} update-ref refs/heads/other HEAD`).stderr).toContain(
    'Permission denied: refs/heads/other',
  )
  expect(script(`${real} tag v1`).stderr).toContain('Permission denied')
  expect(
    script(`${real} -c user.name=x -c user.email=x@example.org commit --allow-empty -qm three`).status,
  ).toBe(0)
})
