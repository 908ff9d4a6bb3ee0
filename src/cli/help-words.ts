import type { Command as Commander } from 'commander'

const helpFlags = ['--help', '-h']

/**
 * `help workflow show` is `workflow show --help`: commander looks at the first word only. And help for what does not
 * exist is no help, so there the words stand alone, for commander to say that it knows none of that name.
 */
export function helpWords(program: Commander, words: readonly string[]): readonly string[] {
  const flags = words.filter((word) => word.startsWith('-'))
  const [first, ...rest] = words.filter((word) => !word.startsWith('-'))
  if (first === undefined) return words
  const isHelp = first === 'help' && rest.length > 0
  if (!isHelp && !flags.some((flag) => helpFlags.includes(flag))) return words
  const named = isHelp ? rest : [first, ...rest]
  const path = pathIn(program, named)
  if (path) return isHelp ? [...flags, ...path, '--help'] : words
  return [...flags.filter((flag) => !helpFlags.includes(flag)), ...named]
}

/** The words that are commands, one inside the other; undefined if there is one that is none. */
function pathIn({ commands }: Commander, [word, ...rest]: readonly string[]): string[] | undefined {
  if (commands.length === 0 || word === undefined) return []
  const inner = commands.find((command) => command.name() === word)
  const path = inner && pathIn(inner, rest)
  return path && [word, ...path]
}
