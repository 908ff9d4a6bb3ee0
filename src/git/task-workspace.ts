import { dirname, join } from 'node:path'
import { removeDiscarded } from '../platform/discard.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { lstatIfThere, mkdir, realpath, rename, rm, writeFile } from '../platform/quick-files.ts'
import { engineDirOf, equipEngineDir } from './engine-dir.ts'
import { removeLeftIndexes } from './index-lock.ts'
import { restoreIndex } from './publish-index.ts'
import { registerWorktree } from './register-worktree.ts'
import {
  findRegistration,
  freeName,
  pointWorktreeAt,
  writeRegistration,
  type Registered,
} from './registration.ts'
import { resolveCommit, type Repository } from './repository.ts'
import { createTaskBranch, deleteTaskBranch, type TaskBranch } from './task-refs.ts'
import { quarantineName, readRecord, recordFile, writeRecord } from './workspace-record.ts'

export interface TaskSpec extends TaskBranch {
  /** Absolute; if it is taken, a number is added. */
  readonly worktree: string
  /** Absolute, of this run alone, out of the agents' reach. */
  readonly stateDir: string
  /** Patterns that are never committed, nor snapshotted. */
  readonly excludes: readonly string[]
}

export interface TaskWorkspace extends Registered {
  readonly repo: Repository
  readonly run: string
  /** The worktree was gone, and stands again as a plain checkout of the branch: see `markPrepared`. */
  readonly isRemade?: boolean
}

/** Branch, worktree and the engine's git directory: all of them, or none. */
export async function createTaskWorkspace(repo: Repository, spec: TaskSpec): Promise<TaskWorkspace> {
  await ensureDirectory(spec.stateDir)
  const branch = { name: spec.branch, start: spec.start }
  // First, so that whoever finds the branch of a run that was killed here knows whose it is.
  await writeRecord(spec, { state: 'creating', branch })
  await createTaskBranch(repo, spec)
  let worktree: string | undefined
  try {
    worktree = await reserveFolder(spec.worktree)
    await writeRecord(spec, { state: 'creating', branch, worktree })
    return await furnish(repo, spec, worktree)
  } catch (error) {
    await undoCreation(repo, spec, worktree)
    throw error
  }
}

/** For resume: the same workspace from what is on disk, with what is broken or half made put right. */
export async function openTaskWorkspace(repo: Repository, spec: TaskSpec): Promise<TaskWorkspace> {
  const record = await readRecord(spec)
  if (record?.state !== 'ready') {
    await undoCreation(repo, spec, record?.worktree)
    return createTaskWorkspace(repo, spec)
  }
  const { worktree } = record
  // One writer per run: whoever held this lock, or was about to remove these, is dead.
  await rm(join(engineDirOf(spec), 'index.lock'), { force: true })
  await removeDiscarded(join(spec.stateDir, 'private'))
  await removeDiscarded(repo.objectsDir, `${quarantineName(spec.run)}.`)
  if ((await lstatIfThere(worktree)) === undefined) {
    await setPrivateDirsAside(spec)
    await forgetLockOf(repo, worktree)
    await writeFile(remadeFile(spec), '')
    await ensureDirectory(worktree)
    return { ...(await furnish(repo, spec, worktree)), isRemade: true }
  }
  const registration = await findRegistration(repo.gitDir, worktree)
  const task = workspaceOf(repo, spec, { worktree, registration: registration ?? record.registration })
  if (registration === undefined) await writeRegistration(task, spec.branch)
  await removeLeftIndexes(join(task.registration, 'index'))
  await pointWorktreeAt(task, task.registration)
  if ((await lstatIfThere(join(task.engineDir, 'index'))) === undefined) {
    // Cleaned away, and the folder was had back since: what stands in it counts as changed by hand.
    await writeFile(remadeFile(spec), '')
    await equipEngineDir(task, spec.excludes, ['--reset'])
  }
  await requireIndex(task)
  return (await lstatIfThere(remadeFile(spec))) === undefined ? task : { ...task, isRemade: true }
}

async function requireIndex(task: TaskWorkspace): Promise<void> {
  if ((await lstatIfThere(join(task.registration, 'index'))) !== undefined) return
  const tip = await resolveCommit(task.repo, `refs/heads/${task.branch}`)
  if (tip !== undefined) await restoreIndex(task, tip)
}

/** What the project needs in its worktree has been put there again. */
export async function markPrepared(task: TaskWorkspace): Promise<void> {
  if (task.isRemade === true) await rm(remadeFile(task), { force: true })
}

function remadeFile({ stateDir }: Pick<TaskSpec, 'stateDir'>): string {
  return join(stateDir, 'remade')
}

/** What agents did not hand in belongs to a worktree that is lost: kept, and not gone on with. */
async function setPrivateDirsAside({ stateDir }: TaskSpec): Promise<void> {
  const path = join(stateDir, 'private')
  await unlessMissing(rename(path, await freeName(`${path}-of-lost-worktree`)))
}

/** A lock (`git worktree lock`) protects a folder that may come back; where it is made anew, git would refuse. */
async function forgetLockOf(repo: Repository, worktree: string): Promise<void> {
  const registration = await findRegistration(repo.gitDir, worktree)
  if (registration !== undefined) await rm(join(registration, 'locked'), { force: true })
}

/** The workspace of a run that is over, as it stands; undefined where there is none, or none that is whole. */
export async function findTaskWorkspace(
  repo: Repository,
  spec: Pick<TaskSpec, 'run' | 'branch' | 'stateDir'>,
): Promise<TaskWorkspace | undefined> {
  const record = await readRecord(spec)
  if (record?.state !== 'ready') return undefined
  const registration = await findRegistration(repo.gitDir, record.worktree)
  return workspaceOf(repo, spec, {
    worktree: record.worktree,
    registration: registration ?? record.registration,
  })
}

/** What a creation that was cut off has left; `undo` takes it back, as opening the workspace would. */
export async function findHalfMade(
  repo: Repository,
  { run, stateDir }: Pick<TaskSpec, 'run' | 'stateDir'>,
): Promise<{ readonly traces: readonly string[]; undo(): Promise<void> } | undefined> {
  const record = await readRecord({ stateDir })
  if (record?.state !== 'creating' || record.branch === undefined) return undefined
  const { worktree } = record
  const { name: branch, start } = record.branch
  return {
    traces: [`branch ${branch}`, ...(worktree === undefined ? [] : [worktree])],
    undo: () => undoCreation(repo, { run, branch, stateDir, start }, worktree),
  }
}

/** Takes back a creation. Only to undo: what stands in the worktree is lost. */
export async function removeTaskWorkspace(task: TaskWorkspace, start: string): Promise<void> {
  const { repo, run, branch, stateDir, worktree } = task
  await undoCreation(repo, { run, branch, stateDir, start }, worktree)
}

/** Made at once, so that two runs, even of sibling repositories, never share one. */
async function reserveFolder(wanted: string): Promise<string> {
  await ensureDirectory(dirname(wanted))
  for (let number = 1; ;) {
    const candidate = number === 1 ? wanted : `${wanted}-${number}`
    try {
      await mkdir(candidate)
      return await realpath(candidate)
    } catch (error) {
      // Cleaning takes the folder around worktrees away where it is empty, also at this moment.
      if (errorCode(error) === 'ENOENT') await ensureDirectory(dirname(wanted))
      else if (errorCode(error) === 'EEXIST') number++
      else throw error
    }
  }
}

/** Registers an empty folder as worktree and checks the branch out through the engine's git directory. */
async function furnish(repo: Repository, spec: TaskSpec, worktree: string): Promise<TaskWorkspace> {
  await registerWorktree(repo, worktree, spec.branch)
  const registration = await findRegistration(repo.gitDir, worktree)
  if (registration === undefined) throw new Error(`git worktree add left no registration of ${worktree}`)
  const task = workspaceOf(repo, spec, { worktree, registration })
  await equipEngineDir(task, spec.excludes, ['-m', '-u'])
  await writeRecord(spec, { state: 'ready', worktree, registration })
  return task
}

function workspaceOf(
  repo: Repository,
  spec: Pick<TaskSpec, 'run' | 'branch' | 'stateDir'>,
  place: Pick<Registered, 'worktree' | 'registration'>,
): TaskWorkspace {
  const { run, branch, stateDir } = spec
  return { repo, run, branch, stateDir, engineDir: engineDirOf(spec), ...place }
}

type Undoable = TaskBranch & Pick<TaskSpec, 'stateDir'>

async function undoCreation(repo: Repository, spec: Undoable, worktree: string | undefined): Promise<void> {
  if (worktree !== undefined) {
    const registration = await findRegistration(repo.gitDir, worktree)
    if (registration !== undefined) await rm(registration, { recursive: true, force: true })
    await rm(worktree, { recursive: true, force: true })
  }
  await rm(engineDirOf(spec), { recursive: true, force: true })
  await deleteTaskBranch(repo, spec)
  await rm(recordFile(spec), { force: true })
}
