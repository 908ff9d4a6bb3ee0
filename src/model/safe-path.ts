/**
 * Paths that come out of an answer. They are refused, never repaired: who writes `a/../b` may mean anything. What
 * some file system takes for another name of the same file counts as that file, whatever this one says.
 */

const longestPath = 1000
const longestPart = 255

/** Undefined for the relative path of a file that means the same on every system; else why it is not one. */
export function pathProblem(path: string): string | undefined {
  const problem = wholeProblems.find(({ holds }) => holds(path))
  if (problem) return problem.reason
  for (const part of path.split('/')) {
    const found = partProblems.find(({ holds }) => holds(part))
    if (found) return found.reason
  }
  return undefined
}

/** Two paths with the same key are the same file to some file system. */
export function pathKey(path: string): string {
  return withoutIgnorable(path).normalize('NFKC').toLowerCase().normalize('NFKC')
}

interface Rule {
  readonly holds: (text: string) => boolean
  readonly reason: string
}

const wholeProblems: readonly Rule[] = [
  { holds: (path) => path === '', reason: 'is empty' },
  { holds: (path) => path.length > longestPath, reason: 'is too long' },
  { holds: (path) => /^[/\\]|^[A-Za-z]:/.test(path), reason: 'is an absolute path' },
  { holds: (path) => path.includes('\\'), reason: 'holds a backslash' },
  { holds: isHalved, reason: 'holds half a character' },
  { holds: (path) => /\p{Cc}/u.test(path), reason: 'holds a control character' },
  {
    holds: (path) => /[*?:"<>|]/.test(path),
    reason: 'holds a character that not every system takes in a name',
  },
  { holds: (path) => withoutIgnorable(path) !== path, reason: 'holds a character without a shape' },
]

const partProblems: readonly Rule[] = [
  { holds: (part) => part === '', reason: 'is not the path of a file' },
  { holds: (part) => part === '.' || part === '..', reason: 'leads elsewhere (. or ..)' },
  { holds: (part) => Buffer.byteLength(part) > longestPart, reason: 'has a name that is too long' },
  {
    holds: (part) => /[. ]$|^ /.test(part),
    reason: 'has a name that ends in a dot or a space, or begins with one',
  },
  { holds: (part) => /^(?:\.git|git~\d+)$/.test(pathKey(part)), reason: 'is in a git directory' },
  { holds: (part) => pathKey(part) === '.baton', reason: "is in Baton's own folder" },
  { holds: isDevice, reason: 'is the name of a device' },
]

/** A surrogate without its other half cannot be written as UTF-8. */
export function isHalved(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

/** Windows knows them in every folder, with any ending. */
function isDevice(part: string): boolean {
  return /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\..*)?$/.test(pathKey(part))
}

function withoutIgnorable(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
}
