import { resolve } from 'node:path'
import { lockLimitFor } from './mark.ts'
import type { Mark } from './mark.ts'

export interface Wrapping {
  readonly exitFile?: string | undefined
  readonly mark?: Mark | undefined
}

/** dash and busybox say -w, bash says -x; where neither is known the environment alone carries the mark. */
const setLimit = `limit=$1; shift
test -z "$limit" || ulimit -S -w "$limit" 2>/dev/null || ulimit -S -x "$limit" 2>/dev/null || :
`

/** One write of a few bytes, by the shell itself: the file is empty, and says nothing yet, or it is whole. */
const recordExit = `exit_file=$1; shift; "$@"; code=$?
printf '{"code":%d}\\n' "$code" >"$exit_file"
exit "$code"`

const recording = `${setLimit}${recordExit}`
/** The shell's own variables are taken away again: the environment is what was asked for. */
const passing = `${setLimit}unset PWD OLDPWD SHLVL; exec "$@"`

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
