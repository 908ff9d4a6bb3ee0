// A run that is stopped, in every way it can be: nothing is lost, nothing is left running, nothing is paid for twice.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { processIds, wordsOf } from '../../src/platform/proc.ts'
import { isAlive } from '../../src/platform/processes.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { play } from '../support/run.ts'
import {
  baton,
  documentOf,
  processesOf,
  refusalOf,
  smallProject,
  startBaton,
  thenAsk,
  until,
  untilFact,
  works,
} from '../e2e/baton.ts'
import type { Running } from '../e2e/baton.ts'

const task = 'Write the work'

/** Counts its calls in a file beside the repository, then waits for a file named go. */
const waitsForGo = `roles:
  worker:
    - runs: [[sh, -c, "echo call >> ../../calls; for i in $(seq 6000); do test -f ../../go && break; sleep 0.05; done"]]
      writes: { work.txt: "done\\n" }
      answer: { status: success }
`

const hangs = `roles:
  worker:
    - writes: { half.txt: "half\\n" }
      starts: { argv: [sleep, "600"], session: true }
      ends: { hang: true, stubborn: true }
`

/** A run whose agent is at work. */
async function atWork(script: string, rest?: string): Promise<{ root: string; run: Running }> {
  const project = await smallProject(script, rest)
  const run = await startBaton(project.root, ['run', task, '--script', project.script])
  await untilFact(project.root, 'agent.started')
  await until(async () => (await processesOf(project.root)).length > 0, 'the agent')
  return { root: project.root, run }
}

async function callsIn(root: string): Promise<number> {
  return (await readFile(join(root, '..', 'calls'), 'utf8')).split('\n').length - 1
}

describe.concurrent('cancel', () => {
  test('ends a run whose agent hangs, with all that the agent has started', async () => {
    const { root, run } = await atWork(hangs)
    const cancelled = await baton(root, ['cancel', '--json'])
    const document = documentOf(cancelled)
    expect(document).toEqual({
      ...{ run: '1', status: 'cancelled', branch: 'task/1-work', step: 'work' },
      stopped: [
        { pid: expect.any(Number), command: expect.stringContaining('scripted-agent.cjs') },
        { pid: expect.any(Number), command: 'sleep 600' },
      ],
    })
    expect(await run.ended).toMatchObject({ code: 130, stderr: '' })
    expect((await run.ended).stdout).toMatch(
      /Run 1 was cancelled\. Its branch task\/1-work is as the last step left it\.\n$/,
    )
    expect(await processesOf(root)).toEqual([])
    expect(documentOf(await baton(root, ['show', '--json']))).toMatchObject({
      status: 'cancelled',
      exit_code: 130,
    })
    expect(refusalOf(await baton(root, ['resume'])).error).toMatch(/^Run 1 has ended \(cancelled\)/)
    expect(refusalOf(await baton(root, ['cancel'])).error).toBe('Run 1 has ended already (cancelled).')
  })

  test('ends a run that waits for a person; its branch stays', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    await baton(root, ['run', task, '--script', script])
    expect(await baton(root, ['cancel', '1'])).toEqual({
      code: 0,
      stdout:
        "Run 1 is cancelled. Its branch task/1-work is as the last step left it.\nStopped at step 'person'; no process of it was running.\n",
      stderr: '',
    })
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('done')
    expect(refusalOf(await baton(root, ['approve', '1'])).error).toBe('Run 1 is cancelled: it asks nothing.')
  })

  test('ends a run whose process was killed, and the agent that was left working', async () => {
    const { root, run } = await atWork(hangs)
    run.child.kill('SIGKILL')
    await run.ended
    expect((await processesOf(root)).length).toBeGreaterThan(0)
    expect((await baton(root, ['cancel'])).code).toBe(0)
    expect(await processesOf(root)).toEqual([])
  })
})

describe.concurrent('cancel says what it has stopped', () => {
  test('an agent that ignores SIGTERM and has hidden a helper: both by pid and command, dead when it returns', async () => {
    const nap = newNap()
    const script = `roles:
  worker:
    - starts: { argv: [sh, -c, "cd / && exec env -i ${nap}"], session: true }
      ends: { hang: true, stubborn: true }
`
    const { root, run } = await atWork(script)
    await until(() => pidsOf(nap).length > 0, 'the helper')
    const { code, stdout } = await baton(root, ['cancel'])
    expect(code).toBe(0)
    const told =
      /Stopped at step 'work', with 2 processes:\n {2}(\d+) {2}\S*node .*\n {2}(\d+) {2}(sleep [\d.]+)\n$/.exec(
        stdout,
      )
    expect(told, stdout).not.toBeNull()
    expect(told?.[3]).toBe(nap)
    for (const pid of told?.slice(1, 3) ?? []) expect(isAlive(Number(pid))).toBe(false)
    expect((await run.ended).code).toBe(130)
  })

  test('a check', async () => {
    const rest = '  - { id: test, check: tests }\n  - { id: deliver, do: deliver }\n'
    const nap = newNap()
    const project = await smallProject(works, rest)
    await writeFiles(project.root, {
      '.baton/config.yaml':
        'workflow: small\nprovider: scripted\nchecks: { tests: { command: [sh, -c, "trap \'\' TERM; NAP; :"] } }\n'.replace(
          'NAP',
          nap,
        ),
    })
    const run = await startBaton(project.root, ['run', task, '--script', project.script])
    await until(() => pidsOf(nap).length > 0, 'the check')
    const cancelled = documentOf(await baton(project.root, ['cancel', '--json']))
    expect(cancelled).toMatchObject({ status: 'cancelled', step: 'test' })
    expect(cancelled.stopped.map(({ command }) => command)).toContain(nap)
    expect((await run.ended).code).toBe(130)
    expect(await processesOf(project.root)).toEqual([])
  })
})

/** A command that nobody else has running. It ends by itself should a test fail before it was ended. */
function newNap(): string {
  return `sleep ${(100 + Math.random()).toFixed(9)}`
}

function pidsOf(command: string): number[] {
  return processIds().filter((pid) => wordsOf(pid).join(' ') === command)
}

describe.concurrent('an interruption', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s ends the run with exit 130 and no process left; resume finishes it',
    async (signal) => {
      const { root, run } = await atWork(waitsForGo)
      run.child.kill(signal)
      const { code, stdout } = await run.ended
      expect({ code, left: await processesOf(root) }).toEqual({ code: 130, left: [] })
      expect(stdout).toMatch(/Run 1 was interrupted; nothing is lost\.\nGo on: baton resume 1\n$/)
      await writeFiles(join(root, '..'), { go: '' })
      expect((await baton(root, ['resume', '1'])).code).toBe(0)
      expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('done')
    },
  )

  test('by a reader that goes away (| head) ends the run just so', async () => {
    const waits = '[[sh, -c, "until test -f ../../go; do sleep 0.05; done"]]'
    const script = `steps: { work: [{ runs: ${waits}, answer: {} }], second: [{ ends: { hang: true } }] }`
    const rest = '  - { id: second, agent: worker, says: { start: "And on." } }\n'
    const { root, run } = await atWork(script, rest)
    run.child.stdout?.destroy()
    await writeFiles(join(root, '..'), { go: '' })
    expect(await run.ended).toMatchObject({ code: 130, stderr: '' })
    expect(await processesOf(root)).toEqual([])
    expect((await baton(root, ['show'])).stdout).toMatch(/\nNext: baton resume 1\n$/)
  })

  test.skipIf(process.platform !== 'linux')(
    'by a full disk where the output goes ends the run with two lines and exit 1; resume finishes it',
    async () => {
      const rest = '  - { id: second, agent: worker, says: { start: "And on." } }\n'
      const { root, script } = await smallProject(works, rest)
      const words = ['run', task, '--script', script]
      const { code, stderr } = await baton(root, words, { stdoutFile: '/dev/full' })
      expect([code, stderr.split('\n')]).toEqual([
        1,
        [
          'error: Not everything could be printed: ENOSPC: no space left on device, write',
          expect.stringMatching(/^next: .*baton resume$/),
          '',
        ],
      ])
      expect(await processesOf(root)).toEqual([])
      expect((await baton(root, ['resume'])).code).toBe(0)
    },
  )

  test('twice ends it at once, with all that the agent has started; resume finishes it', async () => {
    const nap = newNap()
    const { root, run } = await atWork(`roles:
  worker:
    - runs: [[sh, -c, "test -e ../../go || { trap '' TERM; (env -i setsid ${nap} &); ${nap}; }"]]
      writes: { work.txt: "done\\n" }
      answer: { status: success }
`)
    await until(() => pidsOf(nap).length > 1, 'the helpers')
    run.child.kill('SIGINT')
    await run.printed('once more to stop at once')
    run.child.kill('SIGINT')
    expect((await run.ended).code).toBe(130)
    expect([await processesOf(root), pidsOf(nap)]).toEqual([[], []])
    await writeFiles(join(root, '..'), { go: '' })
    expect((await baton(root, ['resume'])).code).toBe(0)
  })

  test('is told by show', async () => {
    const { root, run } = await atWork(hangs)
    run.child.kill('SIGINT')
    await run.ended
    const shown = (await baton(root, ['show'])).stdout
    expect(shown).toMatch(/^ {2}status {5}stopped: /m)
    expect(shown).toMatch(/\nNext: baton resume 1\n$/)
  })
})

describe.concurrent('kill -9 of the run', () => {
  test('in the middle of an agent: show says how to go on, resume ends the old agent and finishes', async () => {
    const { root, run } = await atWork(waitsForGo)
    const left = await processesOf(root)
    run.child.kill('SIGKILL')
    expect((await run.ended).code).toBe(137)
    const shown = (await baton(root, ['show'])).stdout
    expect(shown).toMatch(/^ {2}status {5}stopped: its process is gone$/m)
    expect(shown).toMatch(/\nNext: baton resume 1\n$/)

    const resumed = await startBaton(root, ['resume'])
    await until(async () => (await callsIn(root)) === 2, 'the second call')
    const now = await processesOf(root)
    expect(left.filter((pid) => now.includes(pid))).toEqual([])
    await writeFiles(join(root, '..'), { go: '' })
    expect((await resumed.ended).code).toBe(0)
  })

  test('after the agent has answered: the answer on disk is used and not paid for again', async () => {
    const { root, run } = await atWork(waitsForGo)
    run.child.kill('SIGKILL')
    await run.ended
    await writeFiles(join(root, '..'), { go: '' })
    await until(async () => (await processesOf(root)).length === 0, 'the end of the agent')
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect(await callsIn(root)).toBe(1)
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('done')
  })
})

test('a second resume while one lives is refused, and the first is not disturbed', async () => {
  const { root, run } = await atWork(waitsForGo)
  const { error, next } = refusalOf(await baton(root, ['resume', '1']))
  expect(error).toBe(`Run 1 is being run by process ${run.child.pid} already.`)
  expect(next).toMatch(/^baton logs 1 --follow/)
  await writeFiles(join(root, '..'), { go: '' })
  expect((await run.ended).code).toBe(0)
})

test('a check that cannot be started ends the run when the others beside it have ended, and none works on unseen', async () => {
  const outside = await makeFolder()
  const root = await makeRepository({
    '.baton/config.yaml': `checks:\n  quick: { command: ["true"] }\n  slow: { command: [sh, -c, "sleep 1; touch ${outside}/ended"] }\n`,
    '.baton/workflows/two.yaml': `name: two
inputs: { task: { required: true } }
roles: { worker: { prompt: role.md } }
steps: [{ id: work, agent: worker }, { id: verify, check: [quick, slow] }]
`,
    '.baton/prompts/two/role.md': 'Do your part.\n',
  })
  const log = join(root, '.baton/runs/1/steps/verify.1/checks/quick.log')
  const scriptText = JSON.stringify({ roles: { worker: [{ runs: [['mkdir', '-p', log]], answer: {} }] } })
  await expect(
    play({ repository: root, task: 'work', flags: { workflow: 'two' }, scriptText }),
  ).rejects.toThrow('EISDIR')
  expect(existsSync(join(outside, 'ended'))).toBe(true)
})
