import { open } from 'node:fs/promises'
import { readRange } from '../platform/files.ts'
import { stat } from '../platform/quick-files.ts'
import { git } from './host-git.ts'
import type { Repository } from './repository.ts'

export interface DiffRequest {
  readonly from: string
  readonly to: string
  /** Absolute; overwritten. */
  readonly file: string
  readonly maxBytes: number
}

export interface WrittenDiff {
  /** Of the file as it stands. */
  readonly bytes: number
  /** How many files the change touches, also where the text was cut. */
  readonly files: number
  readonly cut: boolean
}

/** What `to` has changed since it left `from` (three dots), read from the main repository. */
export async function writeDiff(repo: Repository, request: DiffRequest): Promise<WrittenDiff> {
  const { gitDir } = repo
  const range = `${request.from}...${request.to}`
  const flags = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--no-color']
  // Git writes the file itself: a diff may be larger than memory should hold.
  const [, names] = await Promise.all([
    git(['diff', ...flags, `--output=${request.file}`, range, '--'], { gitDir }),
    git(['diff', ...flags, '--name-only', '-z', range, '--'], { gitDir }),
  ])
  const { size } = await stat(request.file)
  const cut = size > request.maxBytes
  const bytes = cut ? await cutAtLine(request.file, request.maxBytes) : size
  return { bytes, files: names.stdout.toString().split('\0').length - 1, cut }
}

async function cutAtLine(path: string, maxBytes: number): Promise<number> {
  const file = await open(path, 'r+')
  try {
    const head = await readRange(file, 0, maxBytes)
    const bytes = head.lastIndexOf('\n') + 1
    await file.truncate(bytes)
    return bytes
  } finally {
    await file.close()
  }
}

/** What one commit changed against its first parent, into a file; false where the repository does not have it any more. */
export async function writeCommitDiff(
  { gitDir }: Repository,
  commit: string,
  file: string,
): Promise<boolean> {
  const flags = ['--no-ext-diff', '--no-textconv', '--no-color', '--first-parent', '--format=%s%n']
  const shown = await git(['show', ...flags, '--stat', '-p', `--output=${file}`, commit, '--'], {
    ...{ gitDir, allowFailure: true },
  })
  return shown.code === 0
}
