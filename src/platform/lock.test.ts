import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readHolder, takeLock, type Lock } from './lock.ts'
import { startTimeOf } from './processes.ts'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-lock-'))
  path = join(directory, 'lock')
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

async function taken(lockPath: string): Promise<Lock> {
  const lock = await takeLock(lockPath)
  if (lock.type !== 'taken') throw new Error(`held by ${lock.pid}`)
  return lock
}

/** A pid that was in use and is not any more. */
async function deadPid(): Promise<number> {
  const child = spawn('true')
  await once(child, 'exit')
  return Number(child.pid)
}

const write = (holder: object): Promise<void> => writeFile(path, JSON.stringify(holder))

describe('a lock', () => {
  test('is taken once, and again after it was released', async () => {
    const lock = await taken(path)
    expect(await takeLock(path)).toEqual({ type: 'held', pid: process.pid, host: hostname() })
    expect(await readHolder(path)).toEqual({ pid: process.pid, host: hostname(), alive: true })
    await lock.release()
    expect(await readHolder(path)).toBeUndefined()
    await (await taken(path)).release()
    expect(await readdir(directory)).toEqual([])
  })

  test('names its holder by pid, start time and host', async () => {
    const lock = await taken(path)
    const startedAt = await startTimeOf(process.pid)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      pid: process.pid,
      startedAt,
      host: hostname(),
    })
    await lock.release()
  })

  test('is not released by somebody who has lost it', async () => {
    const lock = await taken(path)
    const other = { pid: 1, startedAt: await startTimeOf(1), host: hostname() }
    await write(other)
    await lock.release()
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(other)
  })
})

describe('a holder', () => {
  test('who has ended is dead', async () => {
    await write({ pid: await deadPid(), startedAt: 'then', host: hostname() })
    expect(await readHolder(path)).toMatchObject({ alive: false })
    await (await taken(path)).release()
  })

  test('whose pid now belongs to another process, or who lived before the reboot, is dead', async () => {
    await write({ pid: process.pid, startedAt: 'another-boot:123', host: hostname() })
    expect(await readHolder(path)).toMatchObject({ pid: process.pid, alive: false })
    await (await taken(path)).release()
  })

  test('of this machine is told dead from alive although its name has changed', async () => {
    const mine = await startTimeOf(process.pid)
    await write({ pid: process.pid, startedAt: mine, host: 'before' })
    expect(await takeLock(path)).toEqual({ type: 'held', pid: process.pid, host: 'before' })
    await write({ pid: await deadPid(), startedAt: mine, host: 'before' })
    await (await taken(path)).release()
  })

  test('on another machine counts as alive', async () => {
    await write({ pid: await deadPid(), startedAt: 'then', host: 'elsewhere' })
    expect(await takeLock(path)).toMatchObject({ type: 'held', host: 'elsewhere' })
  })

  test.each(['', 'not json', '{}', 'null'])('who cannot be read is dead: %j', async (content) => {
    await writeFile(path, content)
    await (await taken(path)).release()
  })

  test('who died while taking over is no obstacle', async () => {
    await write({ pid: await deadPid(), startedAt: 'then', host: hostname() })
    await writeFile(
      `${path}.takeover`,
      JSON.stringify({ pid: await deadPid(), startedAt: 'then', host: hostname() }),
    )
    await (await taken(path)).release()
    expect(await readdir(directory)).toEqual([])
  })
})

describe('of twenty processes', () => {
  const rounds = 25

  test('exactly one takes a lock, whether it was free or its holder is dead', async () => {
    const dead = JSON.stringify({ pid: await deadPid(), startedAt: 'then', host: hostname() })
    for (let round = 0; round < rounds; round += 2) await writeFile(`${path}-${round}`, dead)
    await writeFile(join(directory, 'taker.mts'), taker)
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
    const children = Array.from({ length: 20 }, (_, n) =>
      spawn(process.execPath, ['--import', tsx, 'taker.mts', String(n)], {
        cwd: directory,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const answers = Promise.all(children.map(answerOf))
    while (!children.every((_, n) => existsSync(join(directory, `ready-${n}`)))) await sleep(20)
    await writeFile(join(directory, 'go'), '')
    const winners = (await answers).flat()
    expect(winners.toSorted((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round))
  })

  /** Prints the rounds that this process has won, and lives until all have had their turn. */
  const taker = `
    import { existsSync, readdirSync, writeFileSync } from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { takeLock } from ${JSON.stringify(new URL('lock.ts', import.meta.url).href)}
    const won = []
    writeFileSync('ready-' + process.argv[2], '')
    while (!existsSync('go')) await sleep(1)
    for (let round = 0; round < ${rounds}; round++) {
      const lock = await takeLock('lock-' + round)
      if (lock.type === 'taken') won.push(round)
    }
    writeFileSync('done-' + process.argv[2], '')
    while (readdirSync('.').filter((name) => name.startsWith('done-')).length < 20) await sleep(20)
    console.log(JSON.stringify(won))`

  async function answerOf({ stdout }: ChildProcess): Promise<number[]> {
    if (stdout === null) throw new Error('no output')
    const won: unknown = JSON.parse(await text(stdout))
    return Array.isArray(won) ? won.map(Number) : []
  }
})
