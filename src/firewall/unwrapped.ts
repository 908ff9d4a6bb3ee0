import type { Objection } from './objection.ts'
import type { Dialect, ShellCommand } from './read-program.ts'

/** What a command that runs other commands would run. */
export interface Unwrapped {
  readonly commands: readonly ShellCommand[]
  /** Shell programs within words: `bash -c`, `eval`, `trap`. */
  readonly codes: readonly string[]
  /** Which shell reads those; the one that reads the rest if absent. */
  readonly dialect?: Dialect
  readonly objection?: Objection
  /** The command does something itself as well, and is judged too. */
  readonly self: boolean
}

export function refuse(objection: Objection): Unwrapped {
  return { commands: [], codes: [], objection, self: false }
}

export function runs(codes: readonly string[]): Unwrapped {
  return { commands: [], codes, self: false }
}
