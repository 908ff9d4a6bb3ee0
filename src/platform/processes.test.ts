import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { processesMarked } from './mark.ts'
import { isAlive, killMarked, killMarkedAtOnce, killOwnedBy, showOwnedBy, startTimeOf } from './processes.ts'

describe.runIf(process.platform === 'linux')('marked processes', () => {
  const owner = `owner-${process.pid}`
  const started = (text: string, more: Record<string, string> = {}) =>
    spawn('sleep', ['1000'], { env: { PATH: '/usr/bin:/bin', ...more, BATON_MARK: text } })

  test('are found by the whole mark, and killed', async () => {
    const one = started(`${owner}:a`)
    const other = started(`${owner}:ab`)
    const stranger = started(`${owner}0:a`)
    expect(processesMarked({ owner, name: 'a' })).toEqual([one.pid])
    expect(await killMarked({ owner, name: 'a' })).toEqual([one.pid])
    expect(processesMarked({ owner, name: 'a' })).toEqual([])
    expect(await killOwnedBy(owner)).toEqual([other.pid])
    expect(await killOwnedBy(`${owner}0`)).toEqual([stranger.pid])
  })

  test('are found however large their environment is', async () => {
    const child = started(`${owner}:large`, { LARGE: 'x'.repeat(100_000) })
    expect(await killMarked({ owner, name: 'large' })).toEqual([child.pid])
  })

  test('are shown by the words they were started with', async () => {
    const child = started(`${owner}:shown`)
    expect(showOwnedBy(owner)).toEqual([{ pid: child.pid, command: 'sleep 1000' }])
    killMarkedAtOnce({ owner, name: 'shown' })
    expect(showOwnedBy(owner)).toEqual([])
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
