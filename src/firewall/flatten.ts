import { firstOf, notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { readProgram } from './read-program.ts'
import type { Dialect, Program, ShellCommand } from './read-program.ts'
import { unwrap } from './unwrap.ts'
import type { Unwrapped } from './unwrapped.ts'
import type { Arg } from './words.ts'

/** A command that runs nothing but itself. */
export interface Leaf {
  /** Without its folder. */
  readonly name: string
  /** As it was written. */
  readonly path: string
  readonly args: readonly Arg[]
}

export interface Flat {
  readonly leaves: readonly Leaf[]
  readonly writes: readonly Arg[]
  readonly reads: readonly Arg[]
  readonly texts: readonly string[]
  readonly objection?: Objection
}

const deepest = 8

/** All commands of a shell program, out of every wrapper and every program within a word. */
export function flatten(source: string): Flat {
  const found: Found = { leaves: [], writes: [], reads: [], texts: [] }
  const objection = addProgram(source, { depth: 0, dialect: 'bash' }, found)
  return { ...found, ...(objection ? { objection } : {}) }
}

interface Found {
  readonly leaves: Leaf[]
  readonly writes: Arg[]
  readonly reads: Arg[]
  readonly texts: string[]
}

interface Level {
  readonly depth: number
  readonly dialect: Dialect
}

function addProgram(source: string, level: Level, found: Found): Objection | undefined {
  if (level.depth > deepest) return notUnderstood('a program within so many others')
  const program: Program = readProgram(source, level.dialect)
  found.writes.push(...program.writes)
  found.reads.push(...program.reads)
  found.texts.push(...program.texts)
  const [first] = program.objections
  return first ?? firstOf(program.commands, (command) => addCommand(command, level, found))
}

function addCommand({ name, args }: ShellCommand, level: Level, found: Found): Objection | undefined {
  if (level.depth > deepest) return notUnderstood('a command within so many others')
  const path = name.value
  if (path === undefined) {
    return {
      rule: 'shell:command-name',
      why: `${name.source} could be any command; write its name out`,
    }
  }
  if (!/^([\w.+@,/][\w.+@,/-]*|\[|:)$/.test(path)) return notUnderstood(`the command ${name.source}`)
  const leaf = { name: path.slice(path.lastIndexOf('/') + 1), path, args }
  const inner = unwrap(leaf.name, args)
  if (!inner || inner.self) found.leaves.push(leaf)
  return inner && (inner.objection ?? addInner(inner, level, found))
}

function addInner(inner: Unwrapped, { depth, dialect }: Level, found: Found): Objection | undefined {
  const below = { depth: depth + 1, dialect: inner.dialect ?? dialect }
  return (
    firstOf(inner.commands, (command) => addCommand(command, below, found)) ??
    firstOf(inner.codes, (code) => addProgram(code, below, found))
  )
}
