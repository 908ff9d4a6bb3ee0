import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { baton, journalOf, startBaton } from '../e2e/baton.ts'
import { gitIn, makeRepository } from '../support/git.ts'
import { failing } from '../support/model-servers/failures.ts'
import { kinds, startModelServer } from '../support/model-servers/model-server.ts'
import type { Kind, Play } from '../support/model-servers/model-server.ts'
import { testModels } from '../support/one-agent.ts'
import { toolPath } from './tools.ts'

const workflow = `name: small
roles:
  worker:
    prompt: worker.md
    capabilities: [read, edit, shell, commit]
    may_write: ["**"]
    verdicts: { status: { success: ok, failed: failed } }
    retry: { max_attempts: 1 }
    timeout: { wall: 10m, idle: 4m }
steps:
  - { id: work, agent: worker }
`

const files = {
  'README.md': 'A small project.\n',
  '.baton/config.yaml': 'workflow: small\nsandbox: required\n',
  '.baton/workflows/small.yaml': workflow,
  '.baton/prompts/small/worker.md': 'Do what is asked.\n',
}

async function project(idle: string): Promise<string> {
  const small = workflow.replace('idle: 4m', `idle: ${idle}`)
  return makeRepository({ ...files, '.baton/workflows/small.yaml': small })
}

/** A number of seconds that only this test sleeps for. */
let seconds = 80_000 + (process.pid % 10_000)

function sleepers(length: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isSleeping(name, length))
    .map(Number)
}

function isSleeping(pid: string, length: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${length}`)
  } catch {
    return false
  }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(100)
}

async function start(kind: Kind, play: Play, idle = '4m') {
  const server = await startModelServer(kind, play)
  const root = await project(idle)
  const env = { ...server.env, PATH: toolPath }
  const args = ['run', 'Wait for me.', '--provider', kind, '--model', testModels[kind] ?? '']
  return { server, root, env, run: await startBaton(root, args, { env }) }
}

/** Without its tools, a key, or a service: all that is needed is recorded. */
async function expectSameAgain(root: string, what: object): Promise<void> {
  const { code, stdout, stderr } = await baton(root, ['replay', '1', '--json'])
  expect(code, stdout + stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ same: true, ...what })
}

describe.each(kinds)('a run with the real %s', (kind) => {
  it('R001-14, R001-16, R002-26, R002-28: makes one step of it, to its end', async () => {
    const play: Play = ({ turn }) =>
      turn === 0
        ? { calls: [{ write: { path: 'notes.txt', text: 'done\n' } }] }
        : { say: 'Done: {"status":"success"}' }
    const { server, root, run } = await start(kind, play)
    const ended = await run.ended
    await server[Symbol.asyncDispose]()
    expect(ended).toMatchObject({ code: 0 })
    expect(await gitIn(root, 'log', '--all', '--format=%H', '--', 'notes.txt')).toMatch(/[0-9a-f]{40}/)
    await expectSameAgain(root, { calls: 1, outcome: 'ok' })
  })

  it('leaves nothing alive when it is cancelled in the middle of a tool call', async () => {
    const length = ++seconds
    const { server, root, env } = await start(kind, () => ({ calls: [{ shell: `sleep ${length}` }] }))
    await until(() => sleepers(length).length > 0)
    expect(await baton(root, ['cancel', '1'], { env })).toMatchObject({ code: 0 })
    expect(sleepers(length)).toEqual([])
    await server[Symbol.asyncDispose]()
  })

  it('leaves nothing alive when its engine is killed and the run is taken up again', async () => {
    const length = ++seconds
    let calls = 0
    const play: Play = () =>
      calls++ === 0 ? { calls: [{ shell: `sleep ${length}` }] } : { say: '{"status":"success"}' }
    const { server, root, env, run } = await start(kind, play)
    await until(() => sleepers(length).length > 0)
    run.child.kill('SIGKILL')
    await run.ended
    expect(await baton(root, ['resume', '1'], { env })).toMatchObject({ code: 0 })
    expect(sleepers(length)).toEqual([])
    await server[Symbol.asyncDispose]()
  })

  it('does not wait for a service that says nothing', async () => {
    const { server, run, root, env } = await start(kind, () => ({ silent: 'at once' }), '20s')
    const ended = await run.ended
    expect(ended.code).not.toBe(0)
    expect((await baton(root, ['show', '1'], { env })).stdout).toMatch(/idle|printed nothing/)
    await server[Symbol.asyncDispose]()
    await expectSameAgain(root, { calls: 1, outcome: 'failed' })
  })
})

/** Who stands in for whom, each once. */
const standIns: Readonly<Record<Kind, Kind>> = { gemini: 'claude', claude: 'codex', codex: 'gemini' }

describe.each(kinds)('a run whose %s has no quota left', (kind) => {
  it('goes over to the fallback of the role, and leaves the other alone from then on', async () => {
    const other = standIns[kind]
    const resets = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 3 * 3_600_000)
    await using empty = await startModelServer(kind, () => failing(kind, 'quotaUntil', resets))
    await using full = await startModelServer(other, () => ({ say: 'Done: {"status":"success"}' }))
    const players = `    provider: ${kind}\n    model: ${testModels[kind]}\n    fallback: ${other}\n    timeout`
    const root = await makeRepository({
      ...files,
      '.baton/workflows/small.yaml':
        workflow.replace('    timeout', players) + '  - { id: more, agent: worker }\n',
    })
    const env = { ...empty.env, ...full.env, PATH: toolPath }
    const ended = await baton(root, ['run', 'Do it.'], { env })
    expect(ended.code, ended.stderr).toBe(0)
    const lines = await journalOf(root)
    const told = (type: string, name: string) =>
      lines.filter((line) => line.type === type).map(({ data }) => data[name])
    expect(told('agent.started', 'provider')).toEqual([kind, other, other])
    expect(told('provider.exhausted', 'provider')).toEqual([kind])
    expect(
      Math.abs(Date.parse(String(told('provider.exhausted', 'resets_at'))) - resets.getTime()),
    ).toBeLessThan(120_000)
    expect(told('agent.retried', 'detail')).toEqual([other])
    expect(told('step.finished', 'outcome')).toEqual(['ok', 'ok'])
    await expectSameAgain(root, { calls: 3, outcome: 'ok' })
  })
})
