/** The command line as data, as far as completing words needs it. */
export interface CommandTree {
  readonly name: string
  readonly description: string
  readonly commands: readonly CommandTree[]
  readonly options: readonly OptionWords[]
  readonly arguments: readonly { readonly name: string; readonly variadic: boolean }[]
  /** Its first argument is the name of a run of that workflow, as its input of that name has it. */
  readonly named?: NamedRuns
}

export interface NamedRuns {
  readonly workflow: string
  readonly identifier: string
}

export interface OptionWords {
  readonly words: readonly string[]
  readonly description: string
  /** Name of the value that follows it; undefined for a switch. */
  readonly value?: string
}

/** A word that could stand at the cursor, and what it means. */
export type Candidate = readonly [word: string, meaning: string]

/** What could stand at the cursor: these words, or a value of this kind that only the project knows. */
export type Wanted =
  | { readonly type: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly type: 'value'; readonly kind: ValueKind }
  | { readonly type: 'named'; readonly runs: NamedRuns }

export type ValueKind = 'run' | 'workflow' | 'mode' | 'provider' | 'file' | 'any'

const kinds: Readonly<Record<string, ValueKind>> = {
  run: 'run',
  workflow: 'workflow',
  mode: 'mode',
  provider: 'provider',
  script: 'file',
  file: 'file',
  into: 'file',
  keep: 'file',
}

/** Of all words up to the cursor, the last one may be unfinished. Pure. */
export function wantedAt(tree: CommandTree, words: readonly string[]): Wanted {
  const typed = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const { command, operands, open } = walk(tree, typed)
  if (open) return { type: 'value', kind: kindOf(open) }
  if (current.startsWith('-')) return { type: 'words', candidates: optionsOf(tree, command) }
  if (command.commands.length > 0) {
    return {
      type: 'words',
      candidates: command.commands.map(({ name, description }) => [name, description]),
    }
  }
  if (command.named && operands === 0) return { type: 'named', runs: command.named }
  const argument = command.arguments[operands] ?? command.arguments.findLast(({ variadic }) => variadic)
  if (argument === undefined) return { type: 'words', candidates: optionsOf(tree, command) }
  return { type: 'value', kind: kindOfArgument(argument.name, command) }
}

interface Place {
  readonly command: CommandTree
  readonly operands: number
  /** The option whose value is due. */
  readonly open?: OptionWords
}

function walk(tree: CommandTree, typed: readonly string[]): Place {
  let place: Place = { command: tree, operands: 0 }
  for (const word of typed) place = after(place, word)
  return place
}

function after({ command, operands, open }: Place, word: string): Place {
  if (open) return { command, operands }
  if (word.startsWith('-')) {
    const option = command.options.find(({ words }) => words.includes(word))
    return option?.value === undefined ? { command, operands } : { command, operands, open: option }
  }
  const inner = command.commands.find(({ name }) => name === word)
  return inner ? { command: inner, operands: 0 } : { command, operands: operands + 1 }
}

/** Options of the program itself may stand anywhere. */
function optionsOf(tree: CommandTree, command: CommandTree): Candidate[] {
  const all = command === tree ? tree.options : [...command.options, ...tree.options]
  return all.flatMap(({ words, description }) => words.map((word): Candidate => [word, description]))
}

function kindOf({ words }: OptionWords): ValueKind {
  const [long = ''] = words.filter((word) => word.startsWith('--'))
  return kinds[long.slice(2)] ?? 'any'
}

/** `<name>` is what the group of commands around it is about. */
function kindOfArgument(name: string, command: CommandTree): ValueKind {
  return name === 'name' && command.arguments.length === 1 ? 'workflow' : (kinds[name] ?? 'any')
}
