import type { Captured } from '../platform/capture.ts'

export type AddVerdict =
  | { readonly type: 'complete' }
  /** A nested repository was met, or added as a link. */
  | { readonly type: 'nested' }
  /** A file is not in the encoding that its attributes promise. */
  | { readonly type: 'unconvertible'; readonly path: string }
  | { readonly type: 'failed' }

/** What `git add --ignore-errors` (2.38 and newer, in English) has come to. Pure. */
export function judgeAdd({ code, stderr }: Pick<Captured, 'code' | 'stderr'>): AddVerdict {
  const path = unconvertible.exec(stderr)?.[1]
  if (path !== undefined) return { type: 'unconvertible', path }
  if (nested.test(stderr)) return { type: 'nested' }
  // A folder that cannot be opened is only warned of, and would hide what has changed in it.
  if (stderr.includes('Permission denied')) return { type: 'failed' }
  return { type: code === 0 || isOnlyAboutNames(stderr) ? 'complete' : 'failed' }
}

const unconvertible =
  /^fatal: (?:BOM is (?:required|prohibited) in|failed to encode|encoding) '(.*)' (?:if|from) /ms

const nested = /adding embedded git repository|in submodule|not have a commit checked out/

/** A name that some file system takes for `.git` can be in no commit; it stays where it is and is no fact. */
function isOnlyAboutNames(stderr: string): boolean {
  const complaints = stderr.split('\n').filter((line) => /^(error|fatal): /.test(line))
  const names = /^error: (invalid path '|unable to add '|unable to index file ')/
  return stderr.includes("invalid path '") && complaints.every((line) => names.test(line))
}
