import { spawn, type SpawnOptions } from 'node:child_process'
import { constants } from 'node:os'
import { findExecutable, type Surroundings } from './executable.ts'

/**
 * Runs a command whose output goes straight to our own stdout and stderr, in our own process group. The result
 * is its exit code: 127 if the command is missing, 128 + n if signal n ended it, as a shell would say.
 */
export async function runThrough(
  argv: readonly [string, ...string[]],
  surroundings: Surroundings,
): Promise<number> {
  const executable = findExecutable(argv[0], surroundings)
  if (executable === undefined) return 127
  return new Promise((resolve, reject) => {
    const child = spawn(executable, argv.slice(1), {
      ...spawnOptions(argv, surroundings),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

/** Starts a command that nobody waits for and that outlives us, silent, in our process group or a session of its own. */
export async function startBehind(
  argv: readonly [string, ...string[]],
  surroundings: Surroundings & { readonly session: boolean },
): Promise<void> {
  const executable = findExecutable(argv[0], surroundings)
  if (executable === undefined) throw new Error(`${argv[0]}: command not found`)
  return new Promise((resolve, reject) => {
    const child = spawn(executable, argv.slice(1), {
      ...spawnOptions(argv, surroundings),
      stdio: 'ignore',
      detached: surroundings.session,
    })
    child.once('error', reject)
    child.once('spawn', resolve)
    child.unref()
  })
}

function spawnOptions(argv: readonly [string, ...string[]], { cwd, env }: Surroundings): SpawnOptions {
  return { argv0: argv[0], cwd, env }
}
