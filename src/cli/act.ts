import type { Command } from './command.ts'

/** Makes an action of the command line from a function that gives the exit code. */
export type Act = <T extends unknown[]>(
  action: (command: Command, ...words: T) => Promise<number>,
) => (...words: [...T, ...unknown[]]) => Promise<void>
