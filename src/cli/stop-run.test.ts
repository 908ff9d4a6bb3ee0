import { spawn } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { baton, smallProject, thenAsk, works } from '../../test/e2e/baton.ts'
import { runFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { startTimeOf } from '../platform/processes.ts'
import { stop } from './stop-run.ts'

test('a process that does not hear is named, and nothing is said to be stopped', async () => {
  const root = await mkdtemp(join(tmpdir(), 'baton-stop-'))
  const deaf = spawn('sleep', ['600'])
  const pid = Number(deaf.pid)
  try {
    const folder = runFolder(root, '1')
    await mkdir(folder.dir)
    await writeFile(folder.lock, JSON.stringify({ pid, startedAt: await startTimeOf(pid), host: hostname() }))
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
