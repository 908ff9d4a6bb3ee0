import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isAlive, killMarked, processesMarked, startTimeOf } from './processes.ts'

describe.runIf(process.platform === 'linux')('marked processes', () => {
  test('are found by the whole mark, and killed', async () => {
    const mark = `marked-${process.pid}`
    const one = spawn('sleep', ['1000'], { env: { PATH: '/usr/bin:/bin', BATON_MARK: mark } })
    const other = spawn('sleep', ['1000'], { env: { PATH: '/usr/bin:/bin', BATON_MARK: `${mark}0` } })
    expect(await processesMarked(mark)).toEqual([one.pid])
    expect(await killMarked(mark)).toEqual([one.pid])
    expect(await processesMarked(mark)).toEqual([])
    expect(await killMarked(`${mark}0`)).toEqual([other.pid])
  })

  test('are found however large their environment is', async () => {
    const mark = `large-${process.pid}`
    const env = { PATH: '/usr/bin:/bin', LARGE: 'x'.repeat(100_000), BATON_MARK: mark }
    const child = spawn('sleep', ['1000'], { env })
    expect(await killMarked(mark)).toEqual([child.pid])
  })
})

test('a process is alive until it has ended, and its start time stays the same', async () => {
  const child = spawn('sleep', ['1000'])
  const pid = Number(child.pid)
  const started = await startTimeOf(pid)
  expect(started).toEqual(expect.any(String))
  await sleep(20)
  expect([isAlive(pid), await startTimeOf(pid)]).toEqual([true, started])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect([isAlive(pid), await startTimeOf(pid)]).toEqual([false, undefined])
})

test('a process of somebody else is alive, too', () => {
  expect(isAlive(1)).toBe(true)
})
