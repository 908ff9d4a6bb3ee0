// Objects on their way from a task's git directory into the main repository.
import { basename, join } from 'node:path'
import { discard } from '../platform/discard.ts'
import { errorCode } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, syncDirectory, writeSynced } from '../platform/files.ts'
import { lstatIfThere, readdir, rename, rm, writeFile } from '../platform/quick-files.ts'
import { pipeFromAgentSpace } from './agent-space.ts'
import { alternateLine } from './git-dir.ts'
import { firstComplaint, git, gitCommand, isFromTheSystem, succeeded, type GitOptions } from './host-git.ts'
import { isLargeShipment } from './shipment-size.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import { quarantineName } from './workspace-record.ts'

export interface Shipment {
  /** The git directory that the objects come from: the engine's or a private one. */
  readonly from: string
  readonly tips: readonly string[]
  /** Commits that the main repository has. */
  readonly known: readonly string[]
}

export interface Quarantine {
  /** How git must be called to see the newcomers together with the main repository. */
  readonly view: GitOptions
  readonly objects: string
  /** One pack of everything, instead of single files for what the main repository lacks. */
  readonly isPacked: boolean
}

const brokenPipe = 128 + 13

export type Received =
  | { readonly type: 'received'; readonly quarantine: Quarantine }
  | { readonly type: 'refused'; readonly reason: string }

/**
 * `--strict` checks every object for form, for links that lead nowhere, for names that some file system would take
 * for `.git` (any case, `git~1`, invisible letters, streams) and for a `.gitmodules` that carries commands.
 */
export async function receive(task: TaskWorkspace, shipment: Shipment): Promise<Received> {
  const { gitDir } = task.repo
  const objects = await emptyQuarantine(task)
  const isPacked = await isLargeShipment(task, shipment.from)
  const unpack = isPacked ? ['index-pack', '--stdin', '--strict'] : ['unpack-objects', '-q', '--strict']
  const { from, to } = await pipeFromAgentSpace(
    // The agent's objects under the engine's configuration: nothing else in a private directory is read.
    ['pack-objects', '--revs', '--local', '--stdout', '-q'],
    {
      gitDir: task.engineDir,
      objectDir: join(shipment.from, 'objects'),
      input: [...shipment.tips, ...shipment.known.map((commit) => `^${commit}`), ''].join('\n'),
    },
    gitCommand(unpack, { gitDir, objectDir: objects }),
  )
  // Where the receiver refuses, the sender dies of the closed pipe: its complaint says nothing.
  const failed = from.code === 0 || from.code === brokenPipe ? to : { ...to, ...from }
  if (failed.code === 0) {
    return { type: 'received', quarantine: { view: { gitDir, objectDir: objects }, objects, isPacked } }
  }
  await dropQuarantine(task)
  if (isFromTheSystem(failed)) succeeded(unpack, failed)
  return { type: 'refused', reason: firstComplaint(failed) }
}

/**
 * Into the main repository, index files last: a pack counts from the moment its index is there. The commits among
 * them are noted first, so that a repetition after a crash knows them for the run's own.
 */
export async function release(
  task: TaskWorkspace,
  quarantine: Quarantine,
  commits: readonly string[],
): Promise<void> {
  const target = task.repo.objectsDir
  const lines = commits.map((id) => `${id}\n`).join('')
  await writeSynced(crossedFile(task), lines, 'a')
  const folders = (await readdir(quarantine.objects)).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))
  for (const name of folders) await moveFolder(join(quarantine.objects, name), join(target, name))
  // All names at once, when the last of them is there: the first sync brings most of the others with it.
  await Promise.all([target, ...folders.map((name) => join(target, name))].map(syncDirectory))
  // Nothing is left in it but empty folders.
  await discard(quarantineOf(task))
}

/** Commits that this run did not bring: the main repository had them, and no crossing of this run did it. */
export async function foreignAmong(
  task: TaskWorkspace,
  quarantine: Quarantine,
  ids: readonly string[],
): Promise<string[]> {
  const old = quarantine.isPacked ? await presentIn(task.repo.gitDir, ids) : await notLoose(quarantine, ids)
  if (old.length === 0) return []
  const crossed = new Set((await readTextIfPresent(crossedFile(task)))?.split('\n'))
  return old.filter((id) => !crossed.has(id))
}

/** Unpacking writes only what the main repository lacks. */
async function notLoose({ objects }: Quarantine, ids: readonly string[]): Promise<string[]> {
  const old: string[] = []
  for (const id of ids) {
    const path = join(objects, id.slice(0, 2), id.slice(2))
    if ((await lstatIfThere(path)) === undefined) old.push(id)
  }
  return old
}

async function presentIn(gitDir: string, ids: readonly string[]): Promise<string[]> {
  const input = ids.map((id) => `${id}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname)'], { gitDir, input })
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(' missing'))
}

export function crossedFile({ stateDir }: Pick<TaskWorkspace, 'stateDir'>): string {
  return join(stateDir, 'crossed')
}

export async function dropQuarantine(task: TaskWorkspace): Promise<void> {
  await rm(quarantineOf(task), { recursive: true, force: true })
}

/** Beside its goal, so that a rename suffices. Git itself clears away old folders of this name. */
function quarantineOf(task: TaskWorkspace): string {
  return join(task.repo.objectsDir, quarantineName(task.run))
}

async function emptyQuarantine(task: TaskWorkspace): Promise<string> {
  await dropQuarantine(task)
  const objects = quarantineOf(task)
  await ensureDirectory(join(objects, 'info'))
  await writeFile(join(objects, 'info', 'alternates'), `${alternateLine(task.repo.objectsDir)}\n`)
  return objects
}

/** As a whole where the main repository has no folder of that name yet, else file by file. */
async function moveFolder(from: string, to: string): Promise<void> {
  // Git made the single-object folders, with the permissions it should; `pack` is ours, and never takes another's place.
  if (basename(to) !== 'pack' && (await renameUnlessThere(from, to))) return
  await ensureDirectory(to)
  const names = await readdir(from)
  names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
  for (const name of names) await rename(join(from, name), join(to, name))
}

async function renameUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}
