// What a branch has changed since it began, and what stands in it: read from the main repository, for gates to judge.
import { createHash } from 'node:crypto'
import { isAncestor, splitAtNul } from './facts.ts'
import { git, gitText } from './host-git.ts'
import type { Repository } from './repository.ts'

export interface BranchEntry {
  readonly path: string
  readonly from?: string
  readonly change: 'added' | 'modified' | 'mode' | 'deleted' | 'renamed' | 'moved'
  readonly emptied: boolean
  /** Ids of the contents; undefined where there is none, or where it is no plain file. */
  readonly before?: string
  readonly after?: string
}

/** Where the branch began, or the newest commit of the base that it has taken in since. */
export async function branchStart(
  repo: Repository,
  { base, start, tip }: { readonly base: string; readonly start: string; readonly tip: string },
): Promise<string> {
  const { code, stdout } = await git(['merge-base', base, tip], { gitDir: repo.gitDir, allowFailure: true })
  const common = code === 0 ? stdout.toString().trim() : start
  // A task may begin on work that is not in the base yet, which is not its own.
  return common !== start && (await isAncestor(repo, common, start)) ? start : common
}

export async function branchChanges(repo: Repository, from: string, to: string): Promise<BranchEntry[]> {
  const args = ['diff-tree', '-r', '-z', '-M', '--no-ext-diff', '--ignore-submodules=dirty', from, to, '--']
  const { stdout } = await git(args, { gitDir: repo.gitDir })
  const fields = splitAtNul(stdout)
  const blank = blankBlobs(repo.objectFormat)
  const entries: BranchEntry[] = []
  for (let index = 0; index + 1 < fields.length;) {
    const about = fields[index] ?? ''
    const paths = fields.slice(index + 1, index + (isRename(about) ? 3 : 2))
    entries.push(entryOf(about, paths, blank))
    index += 1 + paths.length
  }
  return entries
}

/** A line of git's raw form: `:100644 100644 <id> <id> M`, then the path, or the old path and the new one. */
function entryOf(about: string, paths: readonly string[], blank: ReadonlySet<string>): BranchEntry {
  const [mode, newMode, before, after, status] = about.slice(1).split(' ') as RawFields
  const [from = '', path = from] = paths
  return {
    path,
    ...(isRename(about) ? { from } : {}),
    change: before === after && status === 'M' ? 'mode' : changeOf(status, newMode),
    emptied: blank.has(after) && !blank.has(before) && status !== 'A',
    ...(isFile(mode) ? { before } : {}),
    ...(isFile(newMode) ? { after } : {}),
  }
}

type RawFields = [mode: string, newMode: string, before: string, after: string, status: string]

function isRename(about: string): boolean {
  return / R\d+$/.test(about)
}

/** A file that has become a link or a nested repository is gone as a file. */
function changeOf(status: string, mode: string): BranchEntry['change'] {
  if (status === 'A') return 'added'
  if (status === 'D' || (status === 'T' && !isFile(mode))) return 'deleted'
  if (status === 'R100') return 'moved'
  return status.startsWith('R') ? 'renamed' : 'modified'
}

function isFile(mode: string): boolean {
  return mode.startsWith('100')
}

/** Of nothing, and of one line end, which is what is left of a file that was overwritten with nothing. */
function blankBlobs(format: Repository['objectFormat']): ReadonlySet<string> {
  const idOf = (text: string): string =>
    createHash(format).update(`blob ${text.length}\0${text}`).digest('hex')
  return new Set(['', '\n'].map(idOf))
}

/** Names at the top of a commit's tree. */
export async function topNames(repo: Repository, commit: string): Promise<string[]> {
  const text = await gitText(['ls-tree', '--name-only', '-z', commit], { gitDir: repo.gitDir })
  return text.split('\0').filter((name) => name !== '')
}

export type BlobText = { readonly type: 'text'; readonly text: string } | { readonly type: 'too_large' }

/** Texts by the name they were asked for: an id, or `<commit>:<path>`. What is no file is left out. */
export async function readTexts(
  repo: Repository,
  names: readonly string[],
  maxBytes: number,
): Promise<Map<string, BlobText>> {
  const found = new Map<string, BlobText>()
  const sizes = await batchCheck(repo, names)
  const small = names.filter((name) => {
    const size = sizes.get(name)
    if (size !== undefined && size > maxBytes) found.set(name, { type: 'too_large' })
    return size !== undefined && size <= maxBytes
  })
  if (small.length === 0) return found
  const input = small.map((name) => `${name}\0`).join('')
  const { stdout } = await git(['cat-file', '--batch', '-z'], {
    ...{ gitDir: repo.gitDir, input, maxBytes: 512 * 1024 * 1024 },
  })
  let at = 0
  for (const name of small) {
    const start = stdout.indexOf('\n', at) + 1
    const end = start + (sizes.get(name) ?? 0)
    found.set(name, { type: 'text', text: stdout.subarray(start, end).toString() })
    at = end + 1
  }
  return found
}

/** Those of the paths that are no file or folder of the commit. */
export async function absentPaths(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${commit}:${path}\0`).join('')
  const { stdout } = await git(['cat-file', '--batch-check', '-z'], { gitDir: repo.gitDir, input })
  const lines = stdout.toString().split('\n')
  return paths.filter((_, index) => lines[index]?.endsWith(' missing'))
}

async function batchCheck(repo: Repository, names: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  if (names.length === 0) return sizes
  const input = names.map((name) => `${name}\0`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objecttype) %(objectsize)', '-z'], {
    ...{ gitDir: repo.gitDir, input },
  })
  const lines = stdout.toString().split('\n')
  for (const [index, name] of names.entries()) {
    const [type, size] = (lines[index] ?? '').split(' ')
    if (type === 'blob' && /^\d+$/.test(size ?? '')) sizes.set(name, Number(size))
  }
  return sizes
}
