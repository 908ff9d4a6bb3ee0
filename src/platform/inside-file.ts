/**
 * Files below a directory that an agent could write to. To be used only while no agent process lives: between
 * the look at a path and its use nobody may change it. The root is the engine's own choice and is trusted.
 */
import { constants, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { errorCode } from './errno.ts'
import { readRange, temporaryBeside } from './files.ts'
import { lstatIfThere, mkdir, rename, rm } from './quick-files.ts'

export class UnsafePathError extends Error {
  readonly path: string
  /** Finishes the sentence that the path begins: "is a symbolic link". */
  readonly reason: string

  constructor(path: string, reason: string) {
    super(`${path} ${reason}`)
    this.name = 'UnsafePathError'
    this.path = path
    this.reason = reason
  }
}

export interface InsideOptions {
  readonly maxBytes: number
}

/**
 * Replaces the file by a new one, keeping its permission bits. Missing directories are made. The content goes
 * into a new file that is renamed, so that another name of the old one (a hard link) is not written through.
 * Not synced: what is in a worktree becomes safe by being committed.
 */
// oxlint-disable-next-line max-params -- where, what and how much: the same first two as the others here
export async function writeInside(
  root: string,
  relativePath: string,
  content: string | Uint8Array,
  { maxBytes }: InsideOptions,
): Promise<void> {
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length
  if (size > maxBytes) throw new UnsafePathError(relativePath, tooLarge(size, maxBytes))
  const parts = safeParts(relativePath)
  const path = join(root, ...parts)
  await checkDirectories(root, parts, 'make')
  const old = await statOf(path, relativePath)
  if (old !== undefined) refuseUnlessFile(relativePath, old)
  const temporary = temporaryBeside(path)
  try {
    await using file = await open(temporary, 'wx')
    await file.writeFile(content)
    if (old !== undefined) await file.chmod(old.mode & 0o777)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Undefined if there is no such file. */
export async function readInside(
  root: string,
  relativePath: string,
  { maxBytes }: InsideOptions,
): Promise<string | undefined> {
  const parts = safeParts(relativePath)
  if (!(await checkDirectories(root, parts, 'look'))) return undefined
  await using file = await openLeaf(join(root, ...parts), relativePath)
  if (file === undefined) return undefined
  const stats = await file.stat()
  refuseUnlessFile(relativePath, stats)
  if (stats.size > maxBytes) throw new UnsafePathError(relativePath, tooLarge(stats.size, maxBytes))
  return (await readRange(file, 0, stats.size)).toString()
}

/** Why `writeInside` would refuse the path: the end of a sentence that begins with it. Undefined if it would not. */
export async function whyNotInside(root: string, relativePath: string): Promise<string | undefined> {
  try {
    const parts = safeParts(relativePath)
    const isThere = await checkDirectories(root, parts, 'look')
    const old = isThere ? await statOf(join(root, ...parts), relativePath) : undefined
    if (old !== undefined) refuseUnlessFile(relativePath, old)
    return undefined
  } catch (error) {
    if (error instanceof UnsafePathError)
      return error.path === relativePath ? error.reason : `lies below ${error.path}, which ${error.reason}`
    throw error
  }
}

/** The directory itself, if there is one and no link leads to it. */
export async function folderInside(root: string, relativePath: string): Promise<string | undefined> {
  if (relativePath === '') return root
  const isThere = (await whyNotInside(root, `${relativePath}/file`)) === undefined
  const stats = isThere ? await statOf(join(root, relativePath), relativePath) : undefined
  return stats?.isDirectory() === true ? join(root, relativePath) : undefined
}

/** What is known about a file; undefined if there is none, or if it is a link, a directory, or behind a link. */
export async function lookInside(root: string, relativePath: string): Promise<Stats | undefined> {
  try {
    const parts = safeParts(relativePath)
    const isThere = await checkDirectories(root, parts, 'look')
    const stats = isThere ? await statOf(join(root, ...parts), relativePath) : undefined
    return stats?.isFile() === true ? stats : undefined
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined
    throw error
  }
}

/** Moves a file or a directory to a name that is free, making the directories above it. */
export async function moveInside(root: string, from: string, to: string): Promise<void> {
  const source = safeParts(from)
  const target = safeParts(to)
  const isThere = await checkDirectories(root, source, 'look')
  const stats = isThere ? await statOf(join(root, ...source), from) : undefined
  if (stats === undefined) throw new UnsafePathError(from, 'does not exist')
  if (!stats.isDirectory()) refuseUnlessFile(from, stats)
  await checkDirectories(root, target, 'make')
  if ((await statOf(join(root, ...target), to)) !== undefined) throw new UnsafePathError(to, 'exists already')
  await rename(join(root, ...source), join(root, ...target))
}

/** Removes a file or a whole directory, if it is there. What a link leads to stays. */
export async function removeInside(root: string, relativePath: string): Promise<void> {
  const parts = safeParts(relativePath)
  if (!(await checkDirectories(root, parts, 'look'))) return
  await rm(join(root, ...parts), { recursive: true, force: true })
}

function safeParts(relativePath: string): string[] {
  const refuse = (reason: string): never => {
    throw new UnsafePathError(relativePath, reason)
  }
  if (isAbsolute(relativePath)) refuse('is an absolute path')
  if (relativePath.includes('\0')) refuse('holds a NUL character')
  const parts = relativePath.split('/').filter((part) => part !== '.')
  if (parts.length === 0 || parts.includes('')) refuse('is not the path of a file')
  if (parts.includes('..')) refuse('leads out of its directory (..)')
  if (parts.some(isGitDirectory)) refuse('is in a git directory')
  return parts
}

/** Also as file systems see it that ignore case, or characters without a shape, or that know short names. */
function isGitDirectory(part: string): boolean {
  const name = part.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase()
  return name === '.git' || name === 'git~1'
}

/** Looks at every directory on the way to the last part. False if one is missing and is not to be made. */
async function checkDirectories(
  root: string,
  parts: readonly string[],
  mode: 'look' | 'make',
): Promise<boolean> {
  for (let depth = 1; depth < parts.length; depth++) {
    const relative = parts.slice(0, depth).join('/')
    const path = join(root, relative)
    const stats = await statOf(path, relative)
    if (stats === undefined && mode === 'look') return false
    if (stats === undefined) await mkdir(path)
    else if (stats.isSymbolicLink()) throw new UnsafePathError(relative, 'is a symbolic link')
    else if (!stats.isDirectory()) throw new UnsafePathError(relative, 'is not a directory')
  }
  return true
}

async function statOf(path: string, relativePath: string): Promise<Stats | undefined> {
  try {
    return await lstatIfThere(path)
  } catch (error) {
    if (errorCode(error) === 'ENAMETOOLONG') throw new UnsafePathError(relativePath, nameTooLong)
    throw error
  }
}

const nameTooLong = 'has a name that is too long'

function refuseUnlessFile(relativePath: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw new UnsafePathError(relativePath, 'is a symbolic link')
  if (!stats.isFile()) throw new UnsafePathError(relativePath, 'is not a regular file')
}

/** O_NONBLOCK, because opening a named pipe would otherwise wait for somebody to write to it. */
async function openLeaf(path: string, relativePath: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return undefined
    if (code === 'ENAMETOOLONG') throw new UnsafePathError(relativePath, nameTooLong)
    if (code === 'ELOOP') throw new UnsafePathError(relativePath, 'is a symbolic link')
    // A socket, or a device without a driver.
    if (code === 'ENXIO') throw new UnsafePathError(relativePath, 'is not a regular file')
    throw error
  }
}

function tooLarge(size: number, maxBytes: number): string {
  return `is too large (${size} bytes, at most ${maxBytes})`
}
