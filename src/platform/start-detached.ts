import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface Detached {
  readonly pid: number
  /** Its exit code, should it end while we look on. */
  readonly ended: Promise<number>
  /** We may end before it. */
  leave(): void
}

/** Starts a command in a session of its own, which outlives us and whose words go into a file. */
export async function startDetached(
  argv: readonly [string, ...string[]],
  { cwd, env, output }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly output: string },
): Promise<Detached> {
  const file = openSync(output, 'wx', 0o600)
  try {
    const child = spawn(argv[0], argv.slice(1), { cwd, env, detached: true, stdio: ['ignore', file, file] })
    const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return { pid: child.pid ?? 0, ended, leave: () => child.unref() }
  } finally {
    closeSync(file)
  }
}
