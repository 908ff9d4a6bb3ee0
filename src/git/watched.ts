// What of the main repository is nobody's to change while an agent works: refs, HEAD, configuration and hooks.
import { join } from 'node:path'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { readdir } from '../platform/quick-files.ts'
import { git, gitText } from './host-git.ts'
import type { Repository } from './repository.ts'
import { readRecord } from './workspace-record.ts'

/** By name: refs with the object they point at, files of the git directory with their text. */
export type Watched = ReadonlyMap<string, string>

export interface Difference {
  readonly name: string
  readonly before?: string
  readonly after?: string
}

type Place = Pick<Repository, 'gitDir'>

/** Without what runs move themselves, and what a fetch moves. */
export async function watchRepository({ gitDir }: Place): Promise<Watched> {
  const [refs, hooks] = await Promise.all([
    gitText(['for-each-ref', '--format=%(refname) %(objectname)'], { gitDir }),
    unlessMissing(readdir(join(gitDir, 'hooks'))),
  ])
  const files = [
    'HEAD',
    'config',
    ...(hooks ?? []).filter((name) => !name.endsWith('.sample')).map((name) => `hooks/${name}`),
  ]
  const texts = await Promise.all(files.map(async (name) => [name, await textOf(join(gitDir, name))]))
  const pairs = refs
    .split('\n')
    .filter((line) => line !== '' && !/^refs\/(baton|remotes)\//.test(line))
    .map((line) => line.split(' ') as [string, string])
  return new Map([...pairs, ...texts.filter((pair): pair is [string, string] => pair[1] !== undefined)])
}

/** Undefined for a folder among the hooks as well: git runs none. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readTextIfPresent(path)
  } catch (error) {
    if (errorCode(error) === 'EISDIR') return undefined
    throw error
  }
}

/** In the order of their names. */
export function differences(before: Watched, after: Watched): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (was === is) return []
    return [
      { name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
    ]
  })
}

/** Refs of the branches that runs work on, this one's among them: each run answers for its own. */
export async function branchesOfRuns(runsDir: string): Promise<ReadonlySet<string>> {
  // Beside the folders of runs stand their journals.
  const runs = ((await unlessMissing(readdir(runsDir))) ?? []).filter((name) => /^\d+$/.test(name))
  const refs = await Promise.all(
    runs.map(async (run) => {
      const stateDir = join(runsDir, run, 'git')
      const head = await unlessMissing(readTextIfPresent(join(stateDir, 'engine', 'HEAD')))
      const name = head === undefined ? await branchBeingMade(stateDir) : head.slice('ref: '.length).trim()
      return name === undefined ? [] : [name]
    }),
  )
  return new Set(refs.flat())
}

async function branchBeingMade(stateDir: string): Promise<string | undefined> {
  const record = await unlessMissing(readRecord({ stateDir }))
  if (record?.state !== 'creating' || record.branch === undefined) return undefined
  return `refs/heads/${record.branch.name}`
}

/** Both values of each, as refs: nothing that was there can be lost. Gives back the folder of refs that has them. */
export async function keepBoth(
  { gitDir }: Place,
  run: string,
  found: readonly Difference[],
): Promise<string> {
  const top = `refs/baton/${run}/guard/`
  const taken = await gitText(['for-each-ref', '--format=%(refname)', top], { gitDir })
  const numbers = taken.split('\n').map((name) => Number(name.slice(top.length).split('/')[0]))
  const folder = `${top}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`
  for (const { name, before, after } of found) {
    await keep({ gitDir }, { ref: keptAs(folder, name, 'before'), name, value: before })
    await keep({ gitDir }, { ref: keptAs(folder, name, 'after'), name, value: after })
  }
  return folder
}

export function keptAs(folder: string, name: string, when: 'before' | 'after'): string {
  return `${folder}/${name.replace(/^refs\//, '')}/${when}`
}

interface Value {
  readonly ref: string
  readonly name: string
  readonly value: string | undefined
}

async function keep({ gitDir }: Place, { ref, name, value }: Value): Promise<void> {
  if (value === undefined) return
  const object = name.startsWith('refs/')
    ? value
    : (await git(['hash-object', '-w', '--stdin'], { gitDir, input: value })).stdout.toString().trim()
  // An object that is gone cannot be kept; its id stands in the message all the same.
  await git(['update-ref', ref, object], { gitDir, allowFailure: true })
}
