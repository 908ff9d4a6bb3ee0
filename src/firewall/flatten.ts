import { notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { readProgram } from './read-program.ts'
import type { Program, ShellCommand } from './read-program.ts'
import { unwrap } from './unwrap.ts'
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
  const objection = addProgram(source, 0, found)
  return { ...found, ...(objection ? { objection } : {}) }
}

interface Found {
  readonly leaves: Leaf[]
  readonly writes: Arg[]
  readonly reads: Arg[]
  readonly texts: string[]
}

function addProgram(source: string, depth: number, found: Found): Objection | undefined {
  if (depth > deepest) return notUnderstood('a program within so many others')
  const program: Program = readProgram(source)
  found.writes.push(...program.writes)
  found.reads.push(...program.reads)
  found.texts.push(...program.texts)
  const [first] = program.objections
  if (first) return first
  for (const command of program.commands) {
    const objection = addCommand(command, depth, found)
    if (objection) return objection
  }
  return undefined
}

function addCommand({ name, args }: ShellCommand, depth: number, found: Found): Objection | undefined {
  if (depth > deepest) return notUnderstood('a command within so many others')
  const path = name.value
  if (path === undefined) {
    return {
      rule: 'shell:command-name',
      why: `${name.source} could be any command; write its name out`,
    }
  }
  if (!/^([\w.+@,/-]+|\[|:)$/.test(path) || path === '-') return notUnderstood(`the command ${name.source}`)
  const leaf = { name: path.slice(path.lastIndexOf('/') + 1), path, args }
  const inner = unwrap(leaf.name, args)
  if (!inner || inner.self) found.leaves.push(leaf)
  if (!inner) return undefined
  return inner.objection ?? addInner(inner, depth, found)
}

function addInner(
  { commands, codes }: { readonly commands: readonly ShellCommand[]; readonly codes: readonly string[] },
  depth: number,
  found: Found,
): Objection | undefined {
  for (const command of commands) {
    const objection = addCommand(command, depth + 1, found)
    if (objection) return objection
  }
  for (const code of codes) {
    const objection = addProgram(code, depth + 1, found)
    if (objection) return objection
  }
  return undefined
}
