import { lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { fillFolder } from '../platform/files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { writeGitDir } from './git-dir.ts'
import type { Repository } from './repository.ts'
import { attributesText } from './engine-dir.ts'

export interface WriteRequest {
  readonly commit: string
  /** Absolute; does not exist, or is an empty folder. */
  readonly into: string
  /** Absolute: where a git directory may lie for a moment. */
  readonly scratch: string
}

/** The files of a snapshot as they stood in the worktree: with its line endings, and everything of a sparse one. */
export async function writeSnapshot(repo: Repository, request: WriteRequest): Promise<number> {
  return fillFolder(request.into, () => readInto(repo, request))
}

async function readInto(repo: Repository, { commit, into, scratch }: WriteRequest): Promise<number> {
  const gitDir = await mkdtemp(join(scratch, 'restore-'))
  try {
    const attributes = await attributesText(repo)
    await writeGitDir(repo, { path: gitDir, branch: 'restore', excludes: '', attributes, sparseFrom: gitDir })
    const args = ['read-tree', '-m', '-u', '--no-sparse-checkout', commit]
    await gitInAgentSpace(args, { gitDir, workTree: into })
    const names = await gitInAgentSpace(['ls-files', '-z'], { gitDir, workTree: into })
    return names.stdout.toString().split('\0').length - 1
  } finally {
    await rm(gitDir, { recursive: true, force: true })
  }
}

/** Refused: a folder with something in it, a place in a git directory. Nothing is overwritten, ever. */
export async function requireFreeFolder(path: string, tryInstead: string): Promise<void> {
  const problem = (await isInsideGitDir(path)) ? 'is inside a git directory' : await occupationOf(path)
  if (problem === undefined) return
  throw new FailureError({
    code: 'restore.into',
    message: `${path} ${problem}: nothing was written.`,
    next: `Name a folder that does not exist yet: ${tryInstead}`,
  })
}

async function occupationOf(path: string): Promise<string | undefined> {
  try {
    const names = await unlessMissing(readdir(path))
    return names === undefined || names.length === 0 ? undefined : 'is not empty'
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return 'is not a folder'
    throw error
  }
}

/** With links on the way followed: by name, or as the inside of one that is named otherwise. */
async function isInsideGitDir(path: string): Promise<boolean> {
  const real = await realPlace(path)
  if (real.split(sep).some((part) => part.toLowerCase() === '.git')) return true
  for (let folder = real; folder !== dirname(folder); folder = dirname(folder)) {
    const parts = ['HEAD', 'objects', 'refs'].map((name) => unlessMissing(lstat(join(folder, name))))
    const found = await Promise.all(parts.map((part) => part.catch(() => undefined)))
    if (found.every((entry) => entry !== undefined)) return true
  }
  return false
}

/** Of what exists of it; the rest as it was given. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined) return real
  return dirname(path) === path
    ? path
    : join(await realPlace(dirname(path)), path.slice(dirname(path).length))
}
