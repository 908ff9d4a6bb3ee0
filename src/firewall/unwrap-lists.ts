import { notUnderstood } from './objection.ts'
import { readOptions } from './options.ts'
import type { ShellCommand } from './read-program.ts'
import { refuse as refuseFor } from './unwrapped.ts'
import type { Unwrapped } from './unwrapped.ts'
import { literalArg, unknownArg } from './words.ts'
import type { Arg } from './words.ts'

const xargsOptions =
  '-0 --null -r --no-run-if-empty -n= --max-args= -P= --max-procs= -I= -L= -t --verbose -d= --delimiter= -x --exit'

/** What xargs runs has words at its end, or in place of a mark, that nobody knows. */
export function unwrapXargs(args: readonly Arg[]): Unwrapped {
  const { objection, words, used } = readOptions(args, xargsOptions, 'first')
  if (objection !== undefined) return refuse(`xargs ${objection.split(' is ')[0]}`)
  const mark = used.includes('-I') ? markOf(args) : undefined
  if (used.includes('-I') && (mark === undefined || mark === '')) return refuse('this mark of xargs')
  const filled =
    mark === undefined
      ? [...words, unknownArg('what xargs reads')]
      : words.map((word) => filledIn(word, mark))
  const [first, ...rest] = words.length === 0 ? [literalArg('echo')] : filled
  return { commands: first ? [{ name: first, args: rest }] : [], codes: [], self: false }
}

function markOf(args: readonly Arg[]): string | undefined {
  const at = args.findIndex(({ value }) => value?.startsWith('-I') === true)
  const attached = args[at]?.value?.slice(2)
  return attached === '' ? args[at + 1]?.value : attached
}

/** A word with the mark in it is still one word, whatever is put in. */
function filledIn(word: Arg, mark: string): Arg {
  if (word.value === undefined || !word.value.includes(mark)) return word
  const prefix = word.value.slice(0, word.value.indexOf(mark))
  return { value: undefined, prefix, single: true, glob: false, source: word.source }
}

const running = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const writing = new Set(['-fprint', '-fprint0', '-fprintf', '-fls'])

export function unwrapFind(args: readonly Arg[]): Unwrapped {
  if (couldRunAnything(args))
    return refuse('find with words that are not known; put quotes around the variable')
  const commands: ShellCommand[] = []
  for (let at = 0; at < args.length; at++) {
    const value = args[at]?.value ?? ''
    if (writing.has(value)) return refuse(`find ${value}`)
    if (value === '-delete') commands.push({ name: literalArg('rm'), args: [unknownArg('what find finds')] })
    if (!running.has(value)) continue
    const end = args.findIndex((arg, index) => index > at && isEnd(arg))
    const [name, ...rest] = args.slice(at + 1, end).map((word) => filledIn(word, '{}'))
    if (end < 0 || !name) return refuse(`find ${value} without an end`)
    commands.push({ name, args: rest })
    at = end
  }
  return { commands, codes: [], self: true }
}

function isEnd({ value }: Arg): boolean {
  return value === ';' || value === '+'
}

/** One unknown word cannot be -exec and its command at once; two could, and so could one that is split. */
function couldRunAnything(args: readonly Arg[]): boolean {
  const unknown = args.filter(
    ({ value, prefix, glob }) => value === undefined && (prefix === '' || prefix === '-') && !glob,
  )
  return unknown.length > 1 || unknown.some(({ single }) => !single)
}

function refuse(what: string): Unwrapped {
  return refuseFor(notUnderstood(what))
}
