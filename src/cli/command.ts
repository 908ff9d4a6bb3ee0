import type { Output } from './output.ts'
import type { Surroundings } from './workbench.ts'

/** What every command is given: the world, and where to write. */
export interface Command {
  readonly surroundings: Surroundings
  readonly output: Output
}
