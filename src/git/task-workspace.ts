import { dirname, join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { lstat, mkdir, realpath, rm } from '../platform/quick-files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { writeGitDir } from './git-dir.ts'
import { discoveryGit, git, gitText, succeeded } from './host-git.ts'
import {
  findRegistration,
  pointWorktreeAt,
  publishIndex,
  writeRegistration,
  type Registered,
} from './registration.ts'
import type { Repository } from './repository.ts'

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
}

/** Branch, worktree and the engine's git directory: all of them, or none. */
export async function createTaskWorkspace(repo: Repository, spec: TaskSpec): Promise<TaskWorkspace> {
  await ensureDirectory(spec.stateDir)
  await createBranch(repo, spec)
  let worktree: string | undefined
  try {
    worktree = await reserveFolder(spec.worktree)
    await writeRecord(spec, { state: 'creating', worktree })
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
  // One writer per run: whoever held this lock is dead.
  await rm(join(engineDirOf(spec), 'index.lock'), { force: true })
  if ((await unlessMissing(lstat(worktree))) === undefined) {
    await ensureDirectory(worktree)
    return furnish(repo, spec, worktree)
  }
  const registration = await findRegistration(repo.gitDir, worktree)
  const task = workspaceOf(repo, spec, { worktree, registration: registration ?? record.registration })
  if (registration === undefined) await writeRegistration(task, spec.branch)
  await pointWorktreeAt(task, task.registration)
  return task
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
  await rm(task.engineDir, { recursive: true, force: true })
  await writeGitDir(repo, {
    path: task.engineDir,
    branch: spec.branch,
    excludes: await excludesText(repo, spec.excludes),
    sparseFrom: registration,
  })
  const tip = await gitText(['rev-parse', `refs/heads/${spec.branch}`], { gitDir: repo.gitDir })
  await gitInAgentSpace(['read-tree', '-m', '-u', tip], { gitDir: task.engineDir, workTree: worktree })
  await publishIndex(task)
  await writeRecord(spec, { state: 'ready', worktree, registration })
  return task
}

function workspaceOf(
  repo: Repository,
  spec: TaskSpec,
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

type WorkspaceRecord =
  | { readonly state: 'creating'; readonly worktree: string }
  | { readonly state: 'ready'; readonly worktree: string; readonly registration: string }

function engineDirOf({ stateDir }: Pick<TaskSpec, 'stateDir'>): string {
  return join(stateDir, 'engine')
}

function recordFile({ stateDir }: Pick<TaskSpec, 'stateDir'>): string {
  return join(stateDir, 'workspace.json')
}

async function writeRecord(spec: TaskSpec, record: WorkspaceRecord): Promise<void> {
  await writeFileAtomic(recordFile(spec), `${JSON.stringify(record)}\n`)
}

async function readRecord(spec: TaskSpec): Promise<WorkspaceRecord | undefined> {
  const text = await readTextIfPresent(recordFile(spec))
  if (text === undefined) return undefined
  const record = JSON.parse(text) as Json
  if (!isJsonObject(record) || typeof record['worktree'] !== 'string') return undefined
  const { worktree, registration } = record
  if (record['state'] !== 'ready' || typeof registration !== 'string') return { state: 'creating', worktree }
  return { state: 'ready', worktree, registration }
}
