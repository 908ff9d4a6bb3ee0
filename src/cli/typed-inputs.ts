import type { Verb } from '../config/find-verbs.ts'
import { FailureError } from '../model/failure.ts'

export interface TypedVerb {
  readonly words: readonly string[]
  readonly flags: Readonly<Record<string, unknown>>
}

/** What was typed after a verb, by the name of the input: words in the order that the mode says, then flags. */
export function typedInputs(verb: Verb, typed: TypedVerb): Record<string, string> {
  const inputs = spokenInputs(verb, typed.words)
  for (const name of Object.keys(verb.inputs)) {
    const value = typed.flags[camel(name)]
    if (typeof value !== 'string') continue
    if (inputs[name] !== undefined && inputs[name] !== value) throw twice(verb, name)
    inputs[name] = value
  }
  return inputs
}

function spokenInputs(verb: Verb, words: readonly string[]): Record<string, string> {
  const inputs: Record<string, string> = {}
  for (const [index, name] of verb.takes.entries()) {
    const isLast = index === verb.takes.length - 1
    const text = (isLast ? words.slice(index).join(' ') : (words[index] ?? '')).trim()
    if (text !== '') inputs[name] = text
  }
  return inputs
}

/** As commander calls the flag of an input. */
function camel(name: string): string {
  return name.replaceAll(/[_-]+(.)/g, (_, letter: string) => letter.toUpperCase())
}

function twice({ name }: Verb, input: string): FailureError {
  return new FailureError({
    code: 'input.twice',
    message: `The ${input.replaceAll('_', ' ')} was given twice, as a word and with a flag.`,
    next: `baton ${name} --help`,
  })
}
