import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Paths of the project's own files that it imports, types included. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

/** All TypeScript files below a folder, read as text: what the architecture tests look at. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
    .map(readSource)
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const named = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ]
  const targets = named.map(([, from, lazy, bare]) => from ?? lazy ?? bare ?? '')
  const own = targets
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.join(dirname(path), target))
  return { path, text, imports: own, packages: targets.filter((target) => !target.startsWith('.')) }
}

/** Groups of files that import one another in a circle; empty when there is none. */
export function cyclesIn(files: readonly SourceFile[]): string[][] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) cycles.push([...trail.slice(at), path])
    if (at !== -1 || done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}
