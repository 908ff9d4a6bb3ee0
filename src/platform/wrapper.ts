import { resolve } from 'node:path'
import { lockLimitFor } from './mark.ts'
import type { Mark } from './mark.ts'

export interface Wrapping {
  readonly exitFile?: string | undefined
  readonly mark?: Mark | undefined
}

/** dash and busybox say -w, bash says -x; where neither is known the environment alone carries the mark. */
const setLimit = `test -z "$1" || ulimit -S -w "$1" 2>/dev/null || ulimit -S -x "$1" 2>/dev/null || :
`

/**
 * One write of a few bytes, by the shell itself: the file is empty, and says nothing yet, or it is whole. Without a
 * variable of its own: whoever has one of that name in the environment would find it changed.
 */
const recordExit = `run() { shift 2; "$@"; }
run "$@"; set -- "$?" "$2"
printf '{"code":%d}\\n' "$1" >"$2"
exit "$1"`

const recording = `${setLimit}${recordExit}`
/** The shell's own variables are taken away again: the environment is what was asked for. */
const passing = `${setLimit}shift; unset PWD OLDPWD SHLVL; exec "$@"`

/** The arguments of /bin/sh that run a command with what was asked for; undefined if a shell is not needed for it. */
export function wrapped(command: readonly string[], { exitFile, mark }: Wrapping): string[] | undefined {
  const limit = mark === undefined || process.platform !== 'linux' ? '' : lockLimitFor(mark)
  if (exitFile !== undefined) return ['-c', recording, 'sh', limit, resolve(exitFile), ...command]
  return limit === '' ? undefined : ['-c', passing, 'sh', limit, ...command]
}

/** Whether this is the shell around a command: ours, and of no interest to who asks what was running. */
export function isWrapper(argv: readonly string[]): boolean {
  return argv[2] === recording || argv[2] === passing
}
