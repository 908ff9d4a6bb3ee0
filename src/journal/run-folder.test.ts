import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimRunFolder, findRun, listRunIds, runFolder } from './run-folder.ts'

let root: string
let runs: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'baton-runs-'))
  runs = join(root, '.baton', 'runs')
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** A run that has at least its first fact. */
async function makeRun(id: string): Promise<void> {
  await mkdir(join(runs, id), { recursive: true })
  await writeFile(join(runs, `${id}.log.jsonl`), '{}\n')
}

describe('a run’s folder', () => {
  it('has the journal beside it, and the bulky rest in it (R003-09)', () => {
    expect(runFolder('/r', '7')).toMatchObject({
      ...{ id: '7', dir: '/r/7', journal: '/r/7.log.jsonl', lock: '/r/7/lock', inbox: '/r/7/inbox' },
    })
  })

  it('numbers are counters, from one on (C-79)', async () => {
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await claimRunFolder(runs, [])).id)
    expect(ids).toEqual(['1', '2', '3'])
  })

  it('a number that a journal, a folder or a branch has is never given again', async () => {
    await makeRun('3')
    await writeFile(join(runs, '5.log.jsonl'), '')
    expect((await claimRunFolder(runs, [])).id).toBe('6')
    expect((await claimRunFolder(runs, [11])).id).toBe('12')
  })

  it('twenty that start at the same moment get twenty numbers', async () => {
    const claimed = await Promise.all(Array.from({ length: 20 }, () => claimRunFolder(runs, [])))
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(20)
  })

  it('a run that was cut off before its first fact is no run', async () => {
    await claimRunFolder(runs, [])
    await writeFile(join(runs, '2.log.jsonl'), '')
    expect(await listRunIds(runs)).toEqual([])
  })

  it('lists runs by number, not by text, and leaves out what is no run', async () => {
    for (const id of ['10', '9', '1']) await makeRun(id)
    await writeFile(join(runs, 'notes.txt'), '')
    expect(await listRunIds(runs)).toEqual(['1', '9', '10'])
    expect(await listRunIds(join(root, 'nowhere'))).toEqual([])
  })
})

describe('finding a run', () => {
  it('by its number, with or without a #; without one, the newest', async () => {
    for (const id of ['1', '9', '10']) await makeRun(id)
    expect((await findRun(runs, '9')).id).toBe('9')
    expect((await findRun(runs, '#1')).id).toBe('1')
    expect((await findRun(runs, '010')).id).toBe('10')
    expect((await findRun(runs, undefined)).id).toBe('10')
  })

  it('says how to start one where there is none', async () => {
    await expect(findRun(runs, undefined)).rejects.toMatchObject({
      code: 'run.none',
      message: 'There are no runs in this repository yet.',
      next: 'baton run "<what you want done>"',
    })
  })

  it('says which is the newest where the number is unknown', async () => {
    await makeRun('2')
    await expect(findRun(runs, '7')).rejects.toMatchObject({
      ...{ code: 'run.missing', message: "There is no run '7' in this repository.", exitCode: 2 },
      next: 'baton runs   (the newest is 2)',
    })
  })
})
