// What a resident shell is told, and what it answers. Pure.

export interface ShellCommand {
  readonly executable: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ShellPlan {
  readonly commands: readonly [ShellCommand] | readonly [ShellCommand, ShellCommand]
  /** Two of them by a pipe, unless the second is to be run when the first has succeeded, whose output nobody reads. */
  readonly joined?: 'in turn'
  readonly input?: string | Uint8Array | undefined
  readonly maxBytes: number
}

/** The descriptors that the shell has beside the three that every program has. */
export const descriptors = { answers: 3, input: 4, moreErrors: 5 }

const { answers, moreErrors } = descriptors

/** One line; its answer is a line with the exit code, and for the first of two commands another one, with a sign. */
export function scriptOf({ commands: [first, second], joined, input }: ShellPlan, inputPath: string): string {
  const stdin = `<${input === undefined ? '/dev/null' : quoted(inputPath)}`
  // Afterwards out of the folder again: an idle shell must not stand in somebody's way.
  if (!second) return `${started(first, stdin)}; echo $? >&${answers}; cd /`
  if (joined) {
    const then = `echo -$? >&${answers} && ${started(second, `</dev/null 2>&${moreErrors}`)}`
    const otherwise = `{ echo -$? >&${answers}; false; }`
    return `if ${started(first, `${stdin} >/dev/null`)}; then ${then}; else ${otherwise}; fi; echo $? >&${answers}; cd /`
  }
  const writer = `{ ( ${started(first, stdin)} ); echo -$? >&${answers}; }`
  return `${writer} | ( ${started(second, `2>&${moreErrors}`)} ); echo $? >&${answers}`
}

/**
 * Without a subshell: a command that stands alone is started by vfork, at half the price of a fork. In a subshell, as
 * in a pipe, the last command replaces it. Of the shell's own variables it sees none.
 */
function started({ executable, args, cwd, env }: ShellCommand, stream: string): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const command = [...variables, quoted(executable), ...args.map(quoted)].join(' ')
  return `cd ${quoted(cwd)} && unset PWD OLDPWD _ SHLVL && ${command} ${stream} ${closed}`
}

const closed = Object.values(descriptors)
  .map((descriptor) => `${descriptor}>&-`)
  .join(' ')

function quoted(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Undefined until all of it has come; nothing that is no answer becomes one. */
export function codesIn(text: string, { commands }: ShellPlan): readonly number[] | 'no answer' | undefined {
  const lines = text.split('\n')
  if (lines.length <= commands.length) return undefined
  const [last, first] = lines.slice(0, -1).toSorted((one, other) => signs(one) - signs(other))
  const codes = first === undefined ? [last] : [first.slice(1), last]
  const isAnswer = lines.length === commands.length + 1 && codes.every((code) => /^\d{1,3}$/.test(code ?? ''))
  return isAnswer ? codes.map(Number) : 'no answer'
}

function signs(line: string): number {
  return line.startsWith('-') ? 1 : 0
}
