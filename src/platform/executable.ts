import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

export interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const pathWhenUnset = '/usr/bin:/bin'

/**
 * The absolute path that will be started, or undefined if there is none.
 * Empty and relative entries of PATH are skipped, though a shell would look there: the working directory may
 * be one that an agent can write.
 */
export function findExecutable(command: string, { cwd, env }: Surroundings): string | undefined {
  if (command.includes('/')) {
    const path = resolve(cwd, command)
    return isExecutable(path) ? path : undefined
  }
  if (command === '') return undefined
  return (env['PATH'] ?? pathWhenUnset)
    .split(':')
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, command))
    .find(isExecutable)
}

/** Synchronous on purpose: some microseconds, where a trip through the thread pool costs more than the answer. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Missing, unreadable, or a name longer than the system allows: all of them cannot be started.
    return false
  }
}
