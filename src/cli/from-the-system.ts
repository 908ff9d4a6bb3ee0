import { errorCode } from '../platform/errno.ts'

/** Not ours to mend: a full disk, a folder of somebody else's, a file where a folder has to be or the other way round, links in a circle, a mount. */
const fromTheSystem = [
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EMFILE',
  'ENFILE',
]

export function isFromTheSystem(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  // A folder that could not be made has a file in its place; any other file that exists already is our own affair.
  const isInItsPlace = code === 'EEXIST' && (error as NodeJS.ErrnoException).syscall === 'mkdir'
  return isInItsPlace || fromTheSystem.includes(code)
}
