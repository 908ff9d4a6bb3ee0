import { dirname, join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { removeDiscarded } from '../platform/discard.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent } from '../platform/files.ts'
import { lstatIfThere, mkdir, realpath, rename, rm, writeFile } from '../platform/quick-files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { leaveUntouched } from './byte-for-byte.ts'
import { fillIn } from './fill-in.ts'
import { writeGitDir } from './git-dir.ts'
import { discoveryGit, git, gitText, succeeded } from './host-git.ts'
import {
  findRegistration,
  freeName,
  pointWorktreeAt,
  publishIndex,
  writeRegistration,
  type Registered,
} from './registration.ts'
import type { Repository } from './repository.ts'
import { quarantineName, readRecord, recordFile, writeRecord } from './workspace-record.ts'

export interface TaskSpec {
  readonly run: string
  readonly branch: string
  /** Absolute; if it is taken, a number is added. */
  readonly worktree: string
  /** The commit to start from, kept as refs/baton/<run>/base. */
  readonly start: string
  /** Absolute, of this run alone, out of the agents' reach. */
  readonly stateDir: string
  /** Patterns that are never committed, nor snapshotted. */
  readonly excludes: readonly string[]
}

export interface TaskWorkspace extends Registered {
  readonly repo: Repository
  readonly run: string
  readonly branch: string
  /** The worktree was gone, and stands again as a plain checkout of the branch: see `markPrepared`. */
  readonly isRemade?: boolean
}

/** Branch, worktree and the engine's git directory: all of them, or none. */
export async function createTaskWorkspace(repo: Repository, spec: TaskSpec): Promise<TaskWorkspace> {
  await ensureDirectory(spec.stateDir)
  const branch = { name: spec.branch, start: spec.start }
  // First, so that whoever finds the branch of a run that was killed here knows whose it is.
  await writeRecord(spec, { state: 'creating', branch })
  await createBranch(repo, spec)
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
  await pointWorktreeAt(task, task.registration)
  if ((await lstatIfThere(join(task.engineDir, 'index'))) === undefined) {
    // Cleaned away, and the folder was had back since: what stands in it counts as changed by hand.
    await writeFile(remadeFile(spec), '')
    await equip(task, spec, ['--reset'])
  }
  return (await lstatIfThere(remadeFile(spec))) === undefined ? task : { ...task, isRemade: true }
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

/** Makes objects safe from garbage collection: a base may be force-pushed away while a task stands on it. */
export async function keepRef(repo: Repository, ref: string, commit: string): Promise<void> {
  await git(['update-ref', ref, commit], { gitDir: repo.gitDir })
}

/** In one transaction with the run's base ref, which afterwards proves that the branch is ours. */
async function createBranch(repo: Repository, { run, branch, start }: TaskSpec): Promise<void> {
  const input = `create refs/heads/${branch} ${start}\nupdate ${baseRef(run)} ${start}\n`
  const args = ['update-ref', '--stdin']
  const result = await git(args, { gitDir: repo.gitDir, input, allowFailure: true })
  // "refs/heads/task" in the way of "refs/heads/task/1" reads: 'refs/heads/task' exists; cannot create.
  if (result.code !== 0 && /already exists|exists; cannot create/.test(result.stderr)) {
    throw new FailureError({
      code: 'branch.exists',
      message: `The branch ${branch} exists already, or a branch's name is in its way`,
      next: `git branch -m ${branch} <another-name>  (or name the task differently)`,
    })
  }
  succeeded(args, result)
}

/** Made at once, so that two runs, even of sibling repositories, never share one. */
async function reserveFolder(wanted: string): Promise<string> {
  await ensureDirectory(dirname(wanted))
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? wanted : `${wanted}-${number}`
    try {
      await mkdir(candidate)
      return await realpath(candidate)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Registers an empty folder as worktree and checks the branch out through the engine's git directory. */
async function furnish(repo: Repository, spec: TaskSpec, worktree: string): Promise<TaskWorkspace> {
  const add = ['worktree', 'add', '--quiet', '--force', '--no-checkout', worktree, spec.branch]
  succeeded(add, await discoveryGit(add, { cwd: repo.root, env: process.env }))
  const registration = await findRegistration(repo.gitDir, worktree)
  if (registration === undefined) throw new Error(`git worktree add left no registration of ${worktree}`)
  const task = workspaceOf(repo, spec, { worktree, registration })
  await equip(task, spec, ['-m', '-u'])
  await writeRecord(spec, { state: 'ready', worktree, registration })
  return task
}

/** The engine's git directory, with the branch in its index and, if `how` says so, in the worktree. */
async function equip(task: TaskWorkspace, spec: TaskSpec, how: readonly string[]): Promise<void> {
  const { repo, engineDir, worktree, registration } = task
  await rm(engineDir, { recursive: true, force: true })
  await writeGitDir(repo, {
    path: engineDir,
    branch: spec.branch,
    excludes: await excludesText(repo, spec.excludes),
    attributes: await attributesText(repo),
    sparseFrom: registration,
  })
  const tip = await gitText(['rev-parse', `refs/heads/${spec.branch}`], { gitDir: repo.gitDir })
  await fillIn(repo, [tip])
  await gitInAgentSpace(['read-tree', ...how, tip], { gitDir: engineDir, workTree: worktree })
  // Only what was checked out just now is known to be untouched.
  if (how.includes('-u')) await leaveUntouched(task)
  await publishIndex(task)
}

function workspaceOf(
  repo: Repository,
  spec: Pick<TaskSpec, 'run' | 'branch' | 'stateDir'>,
  place: Pick<Registered, 'worktree' | 'registration'>,
): TaskWorkspace {
  const { run, branch, stateDir } = spec
  return { repo, run, branch, stateDir, engineDir: engineDirOf(spec), ...place }
}

/** Later patterns win, so ours come last. */
async function excludesText(repo: Repository, ours: readonly string[]): Promise<string> {
  const own = (await readTextIfPresent(join(repo.gitDir, 'info', 'exclude'))) ?? ''
  return [repo.excludes, own, ...ours, ''].join('\n')
}

/** The user's own; and a tree that is kept as an archive is kept whole. */
export async function attributesText(repo: Repository): Promise<string> {
  const own = (await readTextIfPresent(join(repo.gitDir, 'info', 'attributes'))) ?? ''
  return `${own}\n* -export-ignore -export-subst\n`
}

type Undoable = Pick<TaskSpec, 'run' | 'branch' | 'stateDir' | 'start'>

async function undoCreation(repo: Repository, spec: Undoable, worktree: string | undefined): Promise<void> {
  if (worktree !== undefined) {
    const registration = await findRegistration(repo.gitDir, worktree)
    if (registration !== undefined) await rm(registration, { recursive: true, force: true })
    await rm(worktree, { recursive: true, force: true })
  }
  await rm(engineDirOf(spec), { recursive: true, force: true })
  await deleteBranch(repo, spec)
  await rm(recordFile(spec), { force: true })
}

/** Only both together: the base ref proves that the branch is ours, and its start that nobody has used it. */
async function deleteBranch(repo: Repository, { run, branch, start }: Undoable): Promise<void> {
  const input = `delete refs/heads/${branch} ${start}\ndelete ${baseRef(run)} ${start}\n`
  await git(['update-ref', '--stdin'], { gitDir: repo.gitDir, input, allowFailure: true })
}

function baseRef(run: string): string {
  return `refs/baton/${run}/base`
}

export function engineDirOf({ stateDir }: Pick<TaskSpec, 'stateDir'>): string {
  return join(stateDir, 'engine')
}
