import { statSync } from 'node:fs'
import { join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { BrokenLineError, readJsonl } from '../platform/read-jsonl.ts'
import { mkdir, readdir } from '../platform/quick-files.ts'

/** Where a run keeps its things: `.baton/runs/<id>.log.jsonl` is the journal, `.baton/runs/<id>/` the bulky rest. */
export interface RunFolder {
  readonly id: string
  readonly dir: string
  readonly journal: string
  readonly lock: string
  readonly inbox: string
  readonly frozen: string
  readonly git: string
  readonly steps: string
}

export function runFolder(runsDir: string, id: string): RunFolder {
  const dir = join(runsDir, id)
  // Put together by hand: a list of a thousand runs has eight thousand paths.
  return {
    id,
    dir,
    journal: `${dir}.log.jsonl`,
    lock: `${dir}/lock`,
    inbox: `${dir}/inbox`,
    frozen: `${dir}/frozen`,
    git: `${dir}/git`,
    steps: `${dir}/steps`,
  }
}

/** The next free number, claimed by making its folder: two that start in the same second get two numbers. */
export async function claimRunFolder(runsDir: string, used: readonly number[]): Promise<RunFolder> {
  await ensureDirectory(runsDir)
  const known = (await namesIn(runsDir)).map(numberOf)
  for (let next = Math.max(0, ...known, ...used) + 1; ; next++) {
    const folder = runFolder(runsDir, String(next))
    try {
      await mkdir(folder.dir)
      return folder
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Runs that have a journal with something in it: one that was cut off before its first fact never was. */
export async function listRunIds(runsDir: string): Promise<string[]> {
  // Synchronous: with a thousand runs, going through the thread pool takes longer than the looking.
  const sizeOf = (id: string) =>
    statSync(runFolder(runsDir, id).journal, { throwIfNoEntry: false })?.size ?? 0
  return (await listJournals(runsDir)).filter((id) => sizeOf(id) > 0)
}

/** By the names of the journals alone, whether there is anything in them or not: for who looks into each anyway. */
export async function listJournals(runsDir: string): Promise<string[]> {
  const journals = (await namesIn(runsDir)).filter((name) => /^\d+\.log\.jsonl$/.test(name))
  return journals
    .map(numberOf)
    .toSorted((a, b) => a - b)
    .map(String)
}

/** Half a first line is none. */
async function hasFact({ journal }: RunFolder): Promise<boolean> {
  try {
    for await (const _ of readJsonl(journal)) return true
    return false
  } catch (error) {
    // Whoever reads it says where it is damaged.
    if (error instanceof BrokenLineError) return true
    throw error
  }
}

async function namesIn(runsDir: string): Promise<string[]> {
  return (await unlessMissing(readdir(runsDir))) ?? []
}

/** `12` and `12.log.jsonl` are both number 12; anything else counts as none. */
function numberOf(name: string): number {
  return /^\d+(?:\.log\.jsonl)?$/.test(name) ? Number.parseInt(name, 10) : 0
}

/** A run by its number; without one, the newest. */
export async function findRun(runsDir: string, wanted: string | undefined): Promise<RunFolder> {
  const ids = await listRunIds(runsDir)
  const meant =
    wanted === undefined ? ids.toReversed() : ids.filter((id) => id === wanted.replace(/^#?0*/, ''))
  for (const id of meant) if (await hasFact(runFolder(runsDir, id))) return runFolder(runsDir, id)
  if (meant.length === ids.length) {
    throw new FailureError({
      code: 'run.none',
      message: 'There are no runs in this repository yet.',
      next: 'baton run "<what you want done>"',
    })
  }
  throw new FailureError({
    code: 'run.missing',
    message: `There is no run '${wanted}' in this repository.`,
    next: `baton runs   (the newest is ${ids.at(-1)})`,
  })
}
