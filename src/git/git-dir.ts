// A git directory of ours, made by plain file writes: the engine's own, or an agent's private one.
import { constants } from 'node:fs'
import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { cQuote } from './c-quote.ts'
import { copyFile, mkdir, stat, utimes, writeFile } from '../platform/quick-files.ts'
import type { Repository } from './repository.ts'
import type { Person } from './user-settings.ts'

export interface GitDirPlan {
  readonly path: string
  readonly branch: string
  /** Text of info/exclude. */
  readonly excludes: string
  /** Text of info/attributes. */
  readonly attributes: string
  readonly identity?: Person | undefined
  /** Where to copy info/sparse-checkout from; it is per worktree. */
  readonly sparseFrom: string
}

/** Holds no ref and no index yet. The main repository's objects are seen through an alternate, and only read. */
export async function writeGitDir(repo: Repository, plan: GitDirPlan): Promise<void> {
  const at = (...names: string[]): string => join(plan.path, ...names)
  await ensureDirectory(at('objects', 'info'))
  // What git needs to know it for one, and what tools write to; packs and logs git makes itself when there are any.
  for (const name of ['hooks', 'info', 'refs']) await mkdir(at(name))
  await Promise.all([
    writeFile(at('HEAD'), `ref: refs/heads/${plan.branch}\n`),
    // With a commondir of its own, git never looks for one that somebody else has put there.
    writeFile(at('commondir'), '.\n'),
    writeFile(at('config'), configText(repo, plan.identity)),
    // By file, since GIT_ALTERNATE_OBJECT_DIRECTORIES would split a path at its colons.
    writeFile(at('objects', 'info', 'alternates'), `${alternateLine(repo.objectsDir)}\n`),
    writeFile(at('info', 'exclude'), plan.excludes),
    writeFile(at('info', 'attributes'), plan.attributes),
    copyIfPresent(join(repo.gitDir, 'shallow'), at('shallow')),
    copyIfPresent(join(plan.sparseFrom, 'info', 'sparse-checkout'), at('info', 'sparse-checkout')),
  ])
}

/** With its modification time: git takes a file changed in the second of the index's writing for doubtful. */
export async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  const { mtimeMs } = await stat(from)
  // Rounded down, since a time too early only costs a second look at some files.
  const seconds = Math.floor(mtimeMs) / 1000
  await utimes(to, seconds, seconds)
}

export function alternateLine(path: string): string {
  return /[\n"]/.test(path) ? cQuote(path) : path
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  await unlessMissing(copyFile(from, to))
}

function configText(repo: Repository, identity: Person | undefined): string {
  const values: Record<string, string> = {
    'core.repositoryformatversion': repo.objectFormat === 'sha1' ? '0' : '1',
    ...(repo.objectFormat === 'sha1' ? {} : { 'extensions.objectformat': repo.objectFormat }),
    ...repo.config,
    'core.safecrlf': 'false',
    'core.logallrefupdates': 'true',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    // Else the message of a resolved merge keeps git's own remarks about the conflicts.
    'commit.cleanup': 'strip',
    ...(identity === undefined ? {} : { 'user.name': identity.name, 'user.email': identity.email }),
  }
  const lines = Object.entries(values).map(([key, value]) => {
    const dot = key.indexOf('.')
    return `[${key.slice(0, dot)}]\n\t${key.slice(dot + 1)} = ${configValue(value)}\n`
  })
  return lines.join('')
}

function configValue(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}
