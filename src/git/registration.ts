// What the main repository knows of the task's worktree, and what a person sees who looks into it.
import { join, resolve } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import {
  readTextIfPresent,
  replaceFile,
  syncFile,
  temporaryBeside,
  writeFileAtomic,
} from '../platform/files.ts'
import { lstatIfThere, mkdir, readdir, rename, rm, stat } from '../platform/quick-files.ts'
import { copyIndex } from './git-dir.ts'
import { git } from './host-git.ts'
import { overwrite } from './overwrite.ts'

export interface Registered {
  readonly worktree: string
  /** `worktrees/<name>` in the common git directory. */
  readonly registration: string
  readonly engineDir: string
  readonly stateDir: string
}

/** Also finds one that `worktree add` did not live to finish. */
export async function findRegistration(gitDir: string, worktree: string): Promise<string | undefined> {
  const folder = join(gitDir, 'worktrees')
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const registration = join(folder, name)
    const pointer = await readTextIfPresent(join(registration, 'gitdir'))
    if (pointer !== undefined && resolve(registration, pointer.trimEnd()) === join(worktree, '.git')) {
      return registration
    }
  }
  return undefined
}

/** For a registration that somebody pruned while the folder still stands. */
export async function writeRegistration(task: Registered, branch: string): Promise<void> {
  await mkdir(task.registration, { recursive: true })
  await writeFileAtomic(join(task.registration, 'HEAD'), `ref: refs/heads/${branch}\n`)
  await writeFileAtomic(join(task.registration, 'commondir'), '../..\n')
  await writeFileAtomic(join(task.registration, 'gitdir'), `${join(task.worktree, '.git')}\n`)
}

/** Does nothing if it points there already. Whatever else stands in its place is kept in the state directory. */
export async function pointWorktreeAt(task: Registered, gitDir: string): Promise<void> {
  const path = join(task.worktree, '.git')
  const content = `gitdir: ${gitDir}\n`
  if (overwrite(path, content)) return
  const entry = await lstatIfThere(path)
  if (entry?.isDirectory() === true) await rename(path, await freeName(join(task.stateDir, 'replaced-git')))
  // Not synced: opening the workspace puts it right in any case.
  await replaceFile(path, content)
}

/** `path`, or `path` with the first number from 2 on that is not taken. */
export async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${path}-${number}`
    if ((await lstatIfThere(candidate)) === undefined) return candidate
  }
}

/**
 * Gives the engine's index to the registration, so that `git status` in the worktree shows a person what is true.
 * Left alone if he has staged something against `tip`, the commit that the branch was at.
 */
export async function publishIndex(task: Registered, tip?: string): Promise<void> {
  await (await readyIndex(task, tip)).publish()
}

export interface ReadyIndex {
  publish(): Promise<void>
  /** Instead. */
  drop(): Promise<void>
}

/**
 * The same in two parts: what takes its time can be done while git is at work, and the rest when that has succeeded.
 * With `next`, the commit that the branch moves to, what a person has staged is brought along.
 */
export async function readyIndex(task: Registered, tip?: string, next = tip): Promise<ReadyIndex> {
  const target = join(task.registration, 'index')
  const before = JSON.stringify(await signatureIfThere(target))
  if (tip !== undefined && (await hasStagedWork(task, tip))) return readyStaged(task, [tip, next])
  const draft = temporaryBeside(target)
  await copyIndex(join(task.engineDir, 'index'), draft)
  // In the background: to put a file in another's place that is not on the disk yet makes ext4 wait for it.
  await syncFile(draft)
  const drop = (): Promise<void> => rm(draft, { force: true })
  return {
    drop,
    async publish() {
      const isAsBefore = JSON.stringify(await signatureIfThere(target)) === before
      if (tip !== undefined && !isAsBefore && (await hasStagedWork(task, tip))) {
        await drop()
        return (await readyStaged(task, [tip, next])).publish()
      }
      await rename(draft, target)
      const seen = JSON.stringify(await signature(target))
      if (!overwrite(seenFile(task), seen)) await replaceFile(seenFile(task), seen)
    },
  }
}

/**
 * His index stays, with what the step has changed in it: against the branch's new tip the old one would take that back,
 * and his next commit with it. Left alone where he has staged a file that the step has changed as well.
 */
async function readyStaged(
  { registration, engineDir: gitDir }: Registered,
  [from, to]: readonly [string, string | undefined],
): Promise<ReadyIndex> {
  if (to === undefined || to === from) return nothingToPublish
  const target = join(registration, 'index')
  const before = JSON.stringify(await signatureIfThere(target))
  const indexFile = temporaryBeside(target)
  const drop = (): Promise<void> => rm(indexFile, { force: true })
  await copyIndex(target, indexFile)
  const { code } = await git(['read-tree', '-i', '-m', from, to], { gitDir, indexFile, allowFailure: true })
  return {
    drop,
    async publish() {
      const isAsBefore = JSON.stringify(await signatureIfThere(target)) === before
      await (code === 0 && isAsBefore ? rename(indexFile, target) : drop())
    },
  }
}

const nothingToPublish: ReadyIndex = { publish: async () => undefined, drop: async () => undefined }

async function hasStagedWork(task: Registered, tip: string): Promise<boolean> {
  const indexFile = join(task.registration, 'index')
  const found = await signatureIfThere(indexFile)
  if (found === undefined) return false
  // After a power cut there may be anything in it: then it says nothing.
  if ((await readTextIfPresent(seenFile(task)))?.trimEnd() === JSON.stringify(found)) return false
  // Somebody has written it since; a mere `git status` does so too.
  const { code } = await git(['diff-index', '--cached', '--quiet', '--ignore-submodules=dirty', tip, '--'], {
    gitDir: task.engineDir,
    indexFile,
    allowFailure: true,
  })
  return code !== 0
}

async function signatureIfThere(path: string): Promise<Signature | undefined> {
  return unlessMissing(signature(path))
}

interface Signature {
  readonly mtimeMs: number
  readonly size: number
}

async function signature(path: string): Promise<Signature> {
  const { mtimeMs, size } = await stat(path)
  return { mtimeMs, size }
}

function seenFile(task: Registered): string {
  return join(task.stateDir, 'published-index.json')
}
