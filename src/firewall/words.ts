import { forEachChild } from 'unbash'
import type { CommandArgument, Word, WordPart } from 'unbash'

/** One word of a command, as far as it can be known before the shell expands it. */
export interface Arg {
  /** Undefined when it depends on a variable, a command or the files that are there. */
  readonly value: string | undefined
  /** What it begins with in any case. */
  readonly prefix: string
  /** Certainly one word: quoted, or not expanded at all. */
  readonly single: boolean
  /** Nothing but a pattern of file names stands in the way of knowing it. */
  readonly glob: boolean
  /** As it was written. */
  readonly source: string
}

export function literalArg(value: string): Arg {
  return { value, prefix: value, single: true, glob: false, source: value }
}

/** Any number of words that nobody knows: what xargs adds, what find puts in for {}. */
export function unknownArg(source: string): Arg {
  return { value: undefined, prefix: '', single: false, glob: false, source }
}

export function argOf(argument: CommandArgument): Arg {
  if (argument.type === 'Word') return wordArg(argument)
  const before = `${argument.name}${argument.append === true ? '+' : ''}=`
  if (argument.value.type !== 'Word' || argument.index !== undefined) return unknownArg(argument.text)
  const inner = wordArg(argument.value)
  return {
    ...inner,
    value: inner.value === undefined ? undefined : before + inner.value,
    prefix: before + inner.prefix,
    source: argument.text,
  }
}

function wordArg(word: Word): Arg {
  const { parts = [], value, text: source } = word
  // A tilde becomes somebody's home.
  if (source.startsWith('~')) return { value: undefined, prefix: '~', single: true, glob: false, source }
  const known = parts.every(isLiteral)
  if (known) return { value, prefix: value, single: true, glob: false, source }
  const before = parts.slice(
    0,
    parts.findIndex((part) => !isLiteral(part)),
  )
  return {
    value: undefined,
    prefix: before.map(literalText).join(''),
    single: parts.every(staysOneWord),
    glob: parts.every((part) => isLiteral(part) || part.type === 'Glob'),
    source,
  }
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
      return part.parts.every(({ type }) => type === 'Literal')
    default:
      return false
  }
}

function literalText(part: WordPart): string {
  if (part.type === 'DoubleQuoted') {
    return part.parts.map((child) => (child.type === 'Literal' ? child.value : '')).join('')
  }
  return 'value' in part ? part.value : ''
}

/** Quotes keep an expansion in one word, but for the lists of all parameters or elements. */
function staysOneWord(part: WordPart): boolean {
  if (isLiteral(part)) return true
  if (part.type !== 'DoubleQuoted') return false
  let isList = false
  forEachChild(part, (child) => {
    if (child.type === 'SimpleExpansion') isList ||= child.text === '$@'
    // `${a[@]}`, `${@:2}`, `${!x@}`; the last three forms are refused elsewhere as well.
    if (child.type === 'ParameterExpansion') isList ||= /[@]/.test(child.text)
  })
  return !isList
}
