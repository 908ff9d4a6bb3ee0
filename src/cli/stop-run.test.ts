import { spawn } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  baton,
  namesIn,
  refusalOf,
  smallProject,
  startBaton,
  thenAsk,
  until,
  works,
} from '../../test/e2e/baton.ts'
import { openJournal } from '../journal/open-journal.ts'
import { runFolder } from '../journal/run-folder.ts'
import { engineEvent } from '../model/event.ts'
import { FailureError } from '../model/failure.ts'
import { systemClock } from '../platform/clock.ts'
import { startTimeOf } from '../platform/processes.ts'
import { stop } from './stop-run.ts'

/** As of a process that runs the run. */
async function lockFor(pid: number): Promise<string> {
  return JSON.stringify({ pid, startedAt: await startTimeOf(pid), host: hostname() })
}

test('a process that does not hear is named, and nothing is said to be stopped', async () => {
  const root = await mkdtemp(join(tmpdir(), 'baton-stop-'))
  const deaf = spawn('sleep', ['600'])
  const pid = Number(deaf.pid)
  try {
    const folder = runFolder(root, '1')
    await mkdir(folder.dir)
    await writeFile(folder.lock, await lockFor(pid))
    const record = async (): Promise<never> => Promise.reject(new Error('somebody runs it'))
    await expect(stop(folder, { record, patienceMs: 100 })).rejects.toMatchObject({
      code: 'cancel.not_heard',
      message: `Run 1 was told to stop, but process ${pid} has not ended within 0.1 seconds.`,
      next: `kill -9 ${pid}; baton cancel 1`,
      exitCode: 1,
    })
    expect(deaf.exitCode ?? deaf.signalCode).toBeNull()
  } finally {
    deaf.kill('SIGKILL')
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
})

test('a run that somebody takes up at that very moment is waited for', async () => {
  const { root, script } = await smallProject(works, thenAsk)
  await baton(root, ['run', 'Write the work', '--script', script])
  const refusals = ['run.running', 'run.running', 'run.finished']
  const record = async (): Promise<void> => {
    const code = refusals.shift()
    if (code !== undefined) throw new FailureError({ code, message: 'Somebody was first.', next: '-' })
  }
  const folder = runFolder(join(root, '.baton', 'runs'), '1')
  expect(await stop(folder, { record, patienceMs: 5000 })).toEqual([])
  expect(refusals).toEqual([])
})

test('a run that has come to its end before it heard is not said to be stopped', async () => {
  const { root, script } = await smallProject(works, thenAsk)
  await baton(root, ['run', 'Write the work', '--script', script])
  const folder = runFolder(join(root, '.baton', 'runs'), '1')
  const busy = spawn('sleep', ['600'])
  try {
    await writeFile(folder.lock, await lockFor(Number(busy.pid)))
    const cancelling = await startBaton(root, ['cancel', '1'])
    await until(async () => (await namesIn(folder.inbox)).length > 0, 'the request')
    const journal = await openJournal({ path: folder.journal, clock: systemClock, secrets: [] })
    await journal.append(engineEvent('run.finished', { outcome: 'ok', exit_code: 0 }))
    await journal.close()
    busy.kill('SIGKILL')
    const late = await cancelling.ended
    expect(refusalOf(late)).toEqual({
      error: 'Run 1 has ended already (delivered).',
      next: 'baton show 1',
    })
    expect(late.code).toBe(2)
    // After an undo the run may go on: it is not to hear then.
    expect(await namesIn(folder.inbox)).toEqual([])
  } finally {
    busy.kill('SIGKILL')
  }
})
