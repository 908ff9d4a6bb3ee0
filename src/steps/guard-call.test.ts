import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Attempt } from '../model/durable.ts'
import type { RunEvent } from '../model/event.ts'
import type { HookDialect } from '../model/tool-call.ts'
import type { AgentCall } from './agent-call.ts'
import { openGuard } from './guard-call.ts'
import type { Guard } from './guard-call.ts'

let dir: string
let guard: Guard
let notes: RunEvent[]

const dialect: HookDialect = {
  read(raw) {
    const { event, command } = JSON.parse(raw) as { event?: string; command?: string }
    if (event === 'start') return undefined
    return { kind: 'shell', name: 'Shell', command: command ?? '' }
  },
  answer: ({ allow, reason }) => ({ stdout: allow ? 'go' : reason, code: allow ? 0 : 2 }),
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'baton-guard-'))
  for (const name of ['call', 'git', 'tree']) mkdirSync(join(dir, name))
  notes = []
  const attempt = { note: async (event: RunEvent) => void notes.push(event) } as unknown as Attempt
  const role = {
    ...{ name: 'somebody', title: 'SOMEBODY', mayWrite: ['{docs}/'] },
    capabilities: ['read', 'edit', 'shell', 'commit', 'merge'],
  }
  const rule = { effect: 'deny', on: 'shell', pattern: 'make', roles: [], id: 'project:1' }
  const call = {
    ...{ call: 1, dir: join(dir, 'call'), gitDir: join(dir, 'git'), values: { docs: 'papers' } },
    step: { id: 'work', role },
    site: {
      ...{
        task: { worktree: join(dir, 'tree'), branch: 'task/7-thing' },
        env: { PATH: process.env['PATH'] },
      },
      settings: { firewall: { user: [], project: [rule] } },
    },
  } as unknown as AgentCall
  guard = await openGuard(call, dialect, attempt)
})

afterEach(async () => {
  await guard.close()
  rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
})

async function ask(input: string): Promise<string> {
  const child = spawn(guard.command, [], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(input)
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')])
  return stdout.trim()
}

const run = (command: string) => ask(JSON.stringify({ command }))

test('R001-78, R001-81: each question is decided by the rules of the role, and the reason comes back', async () => {
  expect(await run('git status')).toBe('go')
  expect(await run('git checkout main')).toMatch(/^Permission denied: git checkout is not allowed/)
  expect(await run('echo x > papers/a.md')).toBe('go')
  expect(await run('echo x > src/a.ts')).toContain('this role writes only papers/')
  expect(await run('make')).toContain('Permission denied')
  expect(guard.counts()).toEqual({ allowed: 2, denied: 3 })
})

test('each decision is a line of the call, and each denial a fact of the run, with its rule', async () => {
  await run('git status')
  await run('git push')
  await guard.close()
  const lines = readFileSync(join(dir, 'call', 'decisions.jsonl'), 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { tool: 'Shell', kind: 'shell', what: 'git status', allow: true, rule: 'full:shell' },
    { tool: 'Shell', kind: 'shell', what: 'git push', allow: false, rule: 'git:push' },
  ])
  expect(notes).toMatchObject([
    { type: 'tool.denied', role: 'SOMEBODY', data: { step: 'work', what: 'git push', rule: 'git:push' } },
  ])
})

test('C-16: whether a merge is under way is looked up for each question', async () => {
  expect(await run('git checkout --ours papers/a')).toContain('Permission denied')
  writeFileSync(join(dir, 'git', 'MERGE_HEAD'), '')
  expect(await run('git checkout --ours papers/a')).toBe('go')
})

test('what cannot be read is denied, and a start is only noticed', async () => {
  expect(await ask('no JSON at all')).toContain('Permission denied')
  expect(await ask('null')).toContain('Permission denied')
  expect(await ask('{"event":"start"}')).toBe('')
  expect(guard.counts()).toEqual({ allowed: 0, denied: 2 })
})

test('a tool that did more than it was allowed is stopped', async () => {
  const did = (ok: boolean) => guard.watch({ type: 'tool_result', id: 't1', ok })
  await run('git status')
  expect(did(false)).toBeUndefined()
  expect(did(true)).toBeUndefined()
  expect(did(true)).toMatchObject({
    error: 'refused',
    message: expect.stringContaining('had not asked') as string,
  })
})
