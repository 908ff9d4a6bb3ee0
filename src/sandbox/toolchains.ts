import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { nothing } from '../model/walls.ts'
import type { Cover } from '../model/walls.ts'

export interface Toolchains {
  /** Folders to show, read-only. */
  readonly readable: readonly string[]
  /** Files in them that hold secrets. */
  readonly covered: readonly Cover[]
  /** Variables by which tools find what lies in a home that the room does not have. */
  readonly env: Readonly<Record<string, string>>
}

export interface ToolchainOptions {
  readonly path: string
  /** The person's own home: never shown as a whole. */
  readonly home: string
  /** Programs that are started by their full name. */
  readonly programs: readonly string[]
}

/**
 * The real folders behind PATH, each with the installation it belongs to (`~/.nvm/versions/node/v20/bin` with
 * `~/.nvm/versions/node/v20`), so that what is installed in a home works where that home does not exist.
 */
export function toolchains({ path, home, programs }: ToolchainOptions): Toolchains {
  const folders = path.split(':').filter((folder) => isAbsolute(folder))
  const roots = new Set<string>()
  for (const folder of folders) addFolder(folder, home, roots)
  for (const program of programs) addProgram(program, home, roots)
  const env = homesOf(home, roots)
  const readable = outermost([...roots])
  return { readable, covered: readable.flatMap(secretsIn), env }
}

/** In every room already. */
function isSystem(path: string): boolean {
  return /^\/(usr|bin|sbin|lib|lib32|lib64|libx32)(\/|$)/.test(path)
}

function addFolder(folder: string, home: string, roots: Set<string>): void {
  const real = realOf(folder)
  if (real === undefined) return
  for (const path of new Set([folder, real])) if (!isSystem(path)) roots.add(installationOf(path, home))
  // Links out of a folder that is not part of an installation: `~/.local/bin/tool` to wherever the tool is.
  if (isSystem(real) || installationOf(real, home) !== real) return
  for (const name of namesIn(real)) addProgram(join(real, name), home, roots)
}

function addProgram(program: string, home: string, roots: Set<string>): void {
  const real = realOf(program)
  if (real === undefined || isSystem(real)) return
  roots.add(packageOf(real) ?? installationOf(dirname(real), home))
}

/** The folder above `bin`, unless that would show a home, or what people keep beside their programs. */
function installationOf(folder: string, home: string): string {
  const isBin = ['bin', 'sbin', 'shims'].includes(basename(folder))
  const above = dirname(folder)
  return isBin && !isPersonal(above, home) ? above : folder
}

function isPersonal(folder: string, home: string): boolean {
  const shared = ['.local', '.cargo', 'go'].map((name) => join(home, name))
  return folder === home || `${home}/`.startsWith(`${folder}/`) || folder === '/' || shared.includes(folder)
}

/** A program of a Node package needs the packages beside it. */
function packageOf(path: string): string | undefined {
  const at = path.indexOf('/node_modules/')
  return at < 0 ? undefined : path.slice(0, at + '/node_modules'.length)
}

/** Rust's and Go's tools look into the home for what they are made of. */
function homesOf(home: string, roots: Set<string>): Record<string, string> {
  const env: Record<string, string> = {}
  if (roots.has(join(home, '.cargo', 'bin')) && isFolder(join(home, '.rustup'))) {
    roots.add(join(home, '.rustup'))
    env['RUSTUP_HOME'] = join(home, '.rustup')
  }
  const modules = join(home, 'go', 'pkg', 'mod')
  if (roots.has(join(home, 'go', 'bin')) && isFolder(modules)) {
    roots.add(modules)
    env['GOMODCACHE'] = modules
  }
  return env
}

const secretNames = /^(\.npmrc|\.netrc|\.pypirc|\.yarnrc(\.yml)?|\.env|credentials(\.\w+)?|auth\.json)$/

function secretsIn(folder: string): Cover[] {
  return namesIn(folder)
    .filter((name) => secretNames.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, by: nothing }))
}

function outermost(folders: readonly string[]): string[] {
  const isBelow = (path: string): boolean => folders.some((other) => path.startsWith(`${other}/`))
  return folders.filter((path) => !isBelow(path)).toSorted()
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // A folder of PATH that does not exist, or a link that leads nowhere.
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
