import { gitInAgentSpace } from './agent-space.ts'
import { onWorktree } from './on-worktree.ts'
import { walk } from '../platform/walk.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** Something in a worktree that a snapshot would not give back byte for byte. */
interface Beside {
  /** Relative, one letter per byte (latin1). */
  readonly path: string
  readonly bytes: number
  readonly isFolder: boolean
  readonly isIgnored: boolean
}

export interface Inventory {
  /** Of everything. */
  readonly bytes: number
  /** Ignored files, nested repositories, empty folders, texts with other line endings than a checkout writes. */
  readonly beside: readonly Beside[]
  /** Changes whenever something of `beside` does. */
  readonly signature: string
}

/**
 * What a snapshot holds: `added`, what stands in the engine's index now that all was added to it, so without names
 * that git cannot store; `expected`, what is likely to be added; `nothing`, where git cannot make one at all.
 */
export type Held = 'added' | 'expected' | 'nothing'

/** Reads and changes nothing. */
export async function takeInventory(task: TaskWorkspace, held: Held): Promise<Inventory> {
  const kept = held === 'nothing' ? new Set<string>() : await keptByGit(task, held)
  const ignored = held === 'nothing' ? new Set<string>() : await ignoredByGit(task)
  const folders = foldersOf(kept)
  const beside: Beside[] = []
  const signature: string[] = []
  let total = 0
  for await (const { path, entry } of walk(task.worktree)) {
    // The pointer to the registration is git's own, and made anew with every worktree.
    if (path === '.git' && entry.isFile()) continue
    const isFolder = entry.isDirectory()
    const bytes = isFolder ? 0 : entry.size
    total += bytes
    if (isFolder ? folders.has(path) : kept.has(path)) continue
    beside.push({ path, bytes, isFolder, isIgnored: ignored.has(path) })
    signature.push(`${path}\0${entry.mode}\0${bytes}\0${entry.mtimeMs}`)
  }
  return { bytes: total, beside, signature: signature.join('\n') }
}

async function ignoredByGit(task: TaskWorkspace): Promise<Set<string>> {
  const args = ['ls-files', '-o', '-i', '--exclude-standard', '-z']
  const { stdout } = await gitInAgentSpace(args, { ...onWorktree(task), maxBytes: longList })
  return new Set(stdout.toString('latin1').split('\0'))
}

const longList = 512 * 1024 * 1024

/** A nested repository that was not added is one entry that names no file. */
async function keptByGit(task: TaskWorkspace, held: 'added' | 'expected'): Promise<Set<string>> {
  const which = held === 'added' ? ['-c'] : ['-c', '-o', '--exclude-standard']
  const { stdout } = await gitInAgentSpace(['ls-files', ...which, '--eol', '-z'], {
    ...onWorktree(task),
    maxBytes: longList,
  })
  const { config } = task.repo
  const entries = stdout.toString('latin1').split('\0').filter(Boolean).map(parseEntry)
  return new Set(entries.filter((entry) => comesBackSame(entry, config)).map(({ path }) => path))
}

interface Entry {
  readonly path: string
  /** Line endings in the index and in the worktree, and the attributes that rule them, in git's words. */
  readonly index: string
  readonly worktree: string
  readonly attributes: string
}

/** `i/lf    w/crlf  attr/text=auto        \tpath` */
function parseEntry(line: string): Entry {
  const [about, path] = split(line, '\t')
  const [, index = '', worktree = '', attributes = ''] =
    /^i\/(\S*)\s+w\/(\S*)\s+attr\/(.*?)\s*$/.exec(about) ?? []
  return { path, index, worktree, attributes }
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return [text.slice(0, index), text.slice(index + 1)]
}

/** Whether a checkout writes the line endings that stand in the worktree now. Where in doubt, no. Pure. */
export function comesBackSame(
  { index, worktree, attributes }: Omit<Entry, 'path'>,
  config: Readonly<Record<string, string>>,
): boolean {
  const autocrlf = config['core.autocrlf'] ?? 'false'
  const isRuled = /text|eol/.test(attributes) && attributes !== '-text'
  if (!isRuled && autocrlf === 'false') return index === '' || index === worktree
  if (worktree === 'none' || worktree === '') return true
  if (worktree === '-text') return !/^text(?!=auto)/.test(attributes)
  return worktree === (writesCarriageReturns(attributes, config) ? 'crlf' : 'lf')
}

function writesCarriageReturns(attributes: string, config: Readonly<Record<string, string>>): boolean {
  if (attributes.includes('eol=')) return attributes.includes('eol=crlf')
  const autocrlf = config['core.autocrlf'] ?? 'false'
  return autocrlf === 'true' || (autocrlf !== 'input' && config['core.eol'] === 'crlf')
}

/** Folders that the kept files make by themselves. */
function foldersOf(files: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>()
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}
