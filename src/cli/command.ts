import type { Output } from './output.ts'
import type { Surroundings } from './workbench.ts'

/** What every command is given: the world, and where to read and write. */
export interface Command {
  readonly surroundings: Surroundings
  readonly input: AsyncIterable<Buffer | string>
  readonly output: Output
}

/** Makes an action of a function: opens the command for it, and keeps its exit code. */
export type Act = <T extends unknown[]>(
  action: (command: Command, ...words: T) => Promise<number>,
) => (...words: [...T, ...unknown[]]) => Promise<void>
