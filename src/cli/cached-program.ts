/**
 * Takes the place of `run-program.ts` in the program that is shipped: the same, from one file that the build has made,
 * with the code cache of the person who runs it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { main as runProgram } from './run-program.ts'
import { loadCached } from '../platform/code-cache.ts'

/** Put in by the build: the program's file beside this one. */
declare const programFile: string

type Program = { readonly main: typeof runProgram }

export const main: Program['main'] = (words, streams) => {
  const { exports: program, keep } = loadCached<Program>({
    file: fileURLToPath(new URL(programFile, import.meta.url)),
    url: import.meta.url,
    cacheDir: cacheDir(process.env),
    name: words.find((word) => /^[a-z][a-z-]*$/.test(word)) ?? 'help',
  })
  if (keep) keepOnce(keep)
  return program.main(words, streams)
}

const aMinute = 60_000

/** At the end, when all that was called has been compiled; but V8 forgets in time what is not called any more. */
function keepOnce(keep: () => void): void {
  const timer = setTimeout(once, aMinute).unref()
  process.once('exit', once)
  function once(): void {
    clearTimeout(timer)
    process.removeListener('exit', once)
    // Words that were not understood are not worth a file.
    if (process.exitCode !== 2) keep()
  }
}

/** Off by the name that Node itself knows. */
function cacheDir(env: NodeJS.ProcessEnv): string | undefined {
  const { XDG_CACHE_HOME: caches, HOME: home, NODE_DISABLE_COMPILE_CACHE: isOff } = env
  if (isOff !== undefined && isOff !== '') return undefined
  if (caches?.startsWith('/')) return join(caches, 'baton')
  // A home that is not there is somebody's way of saying that there is none.
  return home?.startsWith('/') && existsSync(home) ? join(home, '.cache/baton') : undefined
}
