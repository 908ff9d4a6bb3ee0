import { literalArg } from './words.ts'
import type { Arg } from './words.ts'

export interface OptionsRead {
  /** What is wrong, to be read after the name of the command. */
  readonly objection?: string
  /** Words that are no options and no values of options. */
  readonly words: readonly Arg[]
  readonly used: readonly string[]
  /** What was given to options that take a value. */
  readonly values: readonly (readonly [string, Arg])[]
}

/** `first`: stop at the first word. `globs`: a pattern of file names may begin a word. */
export type WordsMode = 'any' | 'first' | 'globs'

interface Known {
  readonly plain: ReadonlySet<string>
  readonly valued: ReadonlySet<string>
  readonly perhaps: ReadonlySet<string>
  readonly number: boolean
}

/** Reads a command's words against a list of options in the notation of git-commands.ts. */
export function readOptions(args: readonly Arg[], list: string, mode: WordsMode): OptionsRead {
  const known = knownOptions(list)
  const words: Arg[] = []
  const used: string[] = []
  const values: (readonly [string, Arg])[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? literalArg('')
    const rest = restFrom(args, at, mode)
    if (rest) return { words: [...words, ...rest], used, values }
    if (!mayBeOption(arg, mode)) {
      words.push(arg)
      continue
    }
    const read = readOption(arg, known, args[at + 1])
    if (read.objection !== undefined) return { objection: read.objection, words, used, values }
    used.push(...read.names)
    if (read.value) values.push([read.names.at(-1) ?? '', read.value])
    if (read.takesNext) at++
  }
  return { words, used, values }
}

/** From here on there are no options: after `--`, or from the first word on where a command of its own begins. */
function restFrom(args: readonly Arg[], at: number, mode: WordsMode): readonly Arg[] | undefined {
  const arg = args[at]
  if (mode !== 'first') return arg?.value === '--' ? args.slice(at + 1) : undefined
  return arg && mayBeOption(arg, mode) ? undefined : args.slice(at)
}

/** A word that could turn out to be an option once the shell has expanded it is read as one. */
function mayBeOption({ value, prefix, single, glob }: Arg, mode: WordsMode): boolean {
  if (value !== undefined) return value.startsWith('-') && value !== '-'
  if (prefix.startsWith('-')) return true
  if (glob) return prefix === '' && mode !== 'globs'
  return !single || prefix === ''
}

interface OptionRead {
  readonly objection?: string
  readonly names: readonly string[]
  readonly value?: Arg
  readonly takesNext: boolean
}

function readOption(arg: Arg, known: Known, next: Arg | undefined): OptionRead {
  const name = /^(--[^=]*)=/.exec(arg.prefix)?.[1]
  if (name !== undefined && arg.single) {
    const isKnown = known.valued.has(name) || known.perhaps.has(name)
    return isKnown ? { ...taken([name]), value: after(arg, name.length + 1) } : notAllowed(name)
  }
  if (arg.value === undefined) return notPlain(arg.source)
  return arg.value.startsWith('--') ? long(arg.value, known, next) : short(arg.value, known, next)
}

function after(arg: Arg, length: number): Arg {
  return { ...arg, value: arg.value?.slice(length), prefix: arg.prefix.slice(length) }
}

function long(name: string, known: Known, next: Arg | undefined): OptionRead {
  if (known.plain.has(name) || known.perhaps.has(name)) return taken([name])
  if (!known.valued.has(name)) return notAllowed(name)
  return withNext(name, next)
}

/** `-am text`, `-U3`, `-5`: letters until one takes the rest, or the next word, as its value. */
function short(word: string, known: Known, next: Arg | undefined): OptionRead {
  if (known.plain.has(word)) return taken([word])
  if (/^-\d+$/.test(word)) return known.number ? taken([word]) : notAllowed(word)
  const names: string[] = []
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`
    if (known.valued.has(name)) return valueOfShort(word, { at, names }, next)
    if (!known.plain.has(name)) return numberAfter(word, at, names) ?? notAllowed(name)
    names.push(name)
  }
  return taken(names)
}

function valueOfShort(
  word: string,
  { at, names }: { readonly at: number; readonly names: readonly string[] },
  next: Arg | undefined,
): OptionRead {
  const name = `-${word[at]}`
  if (at < word.length - 1) return { ...taken([...names, name]), value: literalArg(word.slice(at + 1)) }
  const read = withNext(name, next)
  return { ...read, names: [...names, ...read.names] }
}

/** `-M90%`, `-C5`, `-n3`: a number attached to a letter that may have one. */
function numberAfter(word: string, at: number, names: readonly string[]): OptionRead | undefined {
  return at > 1 && /^\d+%?$/.test(word.slice(at)) ? taken(names) : undefined
}

function withNext(name: string, next: Arg | undefined): OptionRead {
  if (next && !next.single) return notPlain(next.source)
  return { names: [name], takesNext: true, ...(next ? { value: next } : {}) }
}

function taken(names: readonly string[]): OptionRead {
  return { names, takesNext: false }
}

function notAllowed(name: string): OptionRead {
  return { objection: `with ${name} is not allowed`, names: [], takesNext: false }
}

function notPlain(source: string): OptionRead {
  return {
    objection: `with ${source} is not allowed, because it could become an option; put -- before file names, and quotes around variables`,
    names: [],
    takesNext: false,
  }
}

const lists = new Map<string, Known>()

function knownOptions(list: string): Known {
  const before = lists.get(list)
  if (before) return before
  const all = list.split(' ')
  const ending = (end: string): Set<string> =>
    new Set(all.filter((one) => one.endsWith(end)).map((one) => one.slice(0, -end.length)))
  const known = {
    plain: new Set(all.filter((one) => !one.includes('='))),
    valued: ending('='),
    perhaps: ending('=?'),
    number: all.includes('-5'),
  }
  lists.set(list, known)
  return known
}
