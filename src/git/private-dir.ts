import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { lstatIfThere, readFile, rename, rm, writeFile } from '../platform/quick-files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { copyIndex, writeGitDir } from './git-dir.ts'
import { freeName, pointWorktreeAt } from './registration.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import type { Person } from './user-settings.ts'

export interface PrivateDirOptions {
  /** Of the attempt; a name is used once. */
  readonly name: string
  /** Where the task branch stands. */
  readonly tip: string
  readonly identity?: Person | undefined
  /** A commit that the agent may merge, seen as BASE_HEAD. */
  readonly mergeHead?: string | undefined
  /** Keep one that is there (a second process of the same attempt) instead of moving it aside. */
  readonly reuse?: boolean
}

/** The agent's side of the repository. It holds one ref, the task branch. */
export interface PrivateDir {
  readonly path: string
  /** Where the agent has brought the task branch. */
  tip(): Promise<string>
  mergeUnderWay(): Promise<boolean>
  /** Gives the worktree back to the main repository. May be called twice. */
  close(): Promise<void>
}

/** While it is open, git in the worktree works on it; the host writes nothing into it once it is made. */
export async function openPrivateDir(task: TaskWorkspace, options: PrivateDirOptions): Promise<PrivateDir> {
  const path = privateDirPath(task, options.name)
  const exists = (await lstatIfThere(path)) !== undefined
  if (exists && options.reuse !== true) await rename(path, await freeName(path))
  if (!exists || options.reuse !== true) await makePrivateDir(task, path, options)
  await pointWorktreeAt(task, path)
  return {
    path,
    tip: () => tipOf(task, path),
    mergeUnderWay: async () => (await lstatIfThere(join(path, 'MERGE_HEAD'))) !== undefined,
    close: () => pointWorktreeAt(task, task.registration),
  }
}

export function privateDirPath({ stateDir }: Pick<TaskWorkspace, 'stateDir'>, name: string): string {
  return join(stateDir, 'private', name)
}

/**
 * What depends on no step can be made before the next one begins, while git is at work. Never while an agent is: it is
 * its own directory that an agent may write, and no other.
 */
export async function draftPrivateDir(task: TaskWorkspace, identity?: Person): Promise<void> {
  if (drafts.has(task.stateDir)) return
  const path = draftPath(task)
  await rm(path, { recursive: true, force: true })
  await writeDraft(task, path, identity)
  drafts.set(task.stateDir, { path, identity })
}

/** Made by this process and not used yet, by the state directory of their run. One of an earlier process is nobody's. */
const drafts = new Map<string, { readonly path: string; readonly identity: Person | undefined }>()

/** When no step comes any more; also one of a process that was killed. */
export async function dropDraft(task: Pick<TaskWorkspace, 'stateDir'>): Promise<void> {
  drafts.delete(task.stateDir)
  await rm(draftPath(task), { recursive: true, force: true })
}

function draftPath(task: Pick<TaskWorkspace, 'stateDir'>): string {
  return privateDirPath(task, 'next.draft')
}

async function writeDraft(task: TaskWorkspace, path: string, identity: Person | undefined): Promise<void> {
  await writeGitDir(task.repo, {
    ...{ path, branch: task.branch, excludes: '', attributes: '' },
    ...{ identity, sparseFrom: task.engineDir },
  })
}

/** Unless it is another's, or somebody has taken the folder away meanwhile. */
async function takeDraft({ stateDir }: TaskWorkspace, identity?: Person): Promise<string | undefined> {
  const draft = drafts.get(stateDir)
  if (draft?.identity !== identity) return undefined
  drafts.delete(stateDir)
  return draft && (await lstatIfThere(draft.path)) !== undefined ? draft.path : undefined
}

async function newDraft(task: TaskWorkspace, path: string, identity: Person | undefined): Promise<string> {
  const draft = await freeName(`${path}.draft`)
  await writeDraft(task, draft, identity)
  return draft
}

/** Complete under another name first, so that a half-made one is never taken for the real one. */
async function makePrivateDir(task: TaskWorkspace, path: string, options: PrivateDirOptions): Promise<void> {
  const { identity } = options
  const draft = (await takeDraft(task, identity)) ?? (await newDraft(task, path, identity))
  // Not before: while git looks at the worktree, the engine may find files that have to be taken byte for byte.
  for (const name of ['exclude', 'attributes'])
    await writeFile(join(draft, 'info', name), await readFile(join(task.engineDir, 'info', name), 'utf8'))
  // As a packed ref: a branch with slashes in its name would take a folder for each.
  await writeFile(join(draft, 'packed-refs'), `${options.tip} refs/heads/${task.branch}\n`)
  if (options.mergeHead !== undefined) await writeFile(join(draft, 'BASE_HEAD'), `${options.mergeHead}\n`)
  await copyIndex(join(task.engineDir, 'index'), join(draft, 'index'))
  await rename(draft, path)
}

async function tipOf(task: TaskWorkspace, path: string): Promise<string> {
  const { code, stdout } = await gitInAgentSpace(
    ['rev-parse', '--verify', '--quiet', `refs/heads/${task.branch}^{commit}`],
    { gitDir: path, allowFailure: true },
  )
  if (code === 0) return stdout.toString().trim()
  throw new FailureError({
    code: 'private.branch',
    message: `The agent's repository has lost the branch ${task.branch}: ${path}`,
    next: 'The step can be run again; what the agent left stays in that folder',
    exitCode: exitCodes.failed,
  })
}
