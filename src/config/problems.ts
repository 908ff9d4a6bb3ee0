import { FailureError } from '../model/failure.ts'

/** Something wrong in a file that a person wrote: where, what, and what to write instead. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fix: string
}

/** Keys and indices that lead to a value of a file. */
export type Path = readonly (string | number)[]

/** A problem before it is known where in the text its path lies. */
export interface Finding {
  readonly path: Path
  /** Point to the key of the pair, not to its value. */
  readonly atKey?: boolean
  /** Point to this piece of the value's text. */
  readonly within?: string
  readonly message: string
  readonly fix: string
}

/** The first problem becomes the message, its fix the next action; all of them go along as the cause. */
export function failureOf(problems: readonly Problem[], code: string): FailureError {
  const [first, ...others] = problems
  if (!first) throw new Error(`no problem to report as ${code}`)
  const rest =
    others.length === 0 ? '' : ` (and ${others.length} more problem${others.length === 1 ? '' : 's'})`
  return new FailureError({
    code,
    message: `${lineOf(first)}${rest}`,
    next: first.fix,
    cause: problems,
  })
}

/** The problems behind a failure, for whoever lists them all. */
export function problemsOf(error: FailureError): readonly Problem[] {
  return Array.isArray(error.cause) ? (error.cause as readonly Problem[]) : []
}

export function lineOf({ file, line, column, message }: Problem): string {
  return `${file}:${line}:${column}: ${message}`
}

/** In the order of the text, each once. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [lineOf(problem), problem]))
  return [...unique.values()].toSorted((left, right) => left.line - right.line || left.column - right.column)
}
