import { FailureError } from '../model/failure.ts'
import type { Json } from '../model/json.ts'
import { shellWord } from '../model/shell-word.ts'
import type { InputSpec, ModeSpec, Workflow } from '../model/workflow.ts'
import { valueFindings } from './check-inputs.ts'
import { writeInstead } from './nearest.ts'

/** What somebody gave for a run, before it is checked: flags and `--input name=value`, perhaps repeated. */
export type GivenInputs = Readonly<Record<string, string | readonly string[]>>

/**
 * A value for every input of the workflow; what nobody gave and has no default is empty. `typed` is how somebody named
 * the workflow, if he did: without it the command that is proposed would run another.
 */
export function resolveInputs(
  workflow: Workflow,
  given: GivenInputs,
  typed?: string,
): Readonly<Record<string, Json>> {
  for (const name of Object.keys(given)) refuseUnknown(workflow, name)
  if (typeof given['mode'] === 'string') resolveMode(workflow, given['mode'])
  return Object.fromEntries(
    Object.entries(workflow.inputs).map(([name, spec]) => {
      const value = given[name]
      return [
        name,
        isEmpty(value)
          ? fallback(workflow, name, typed)
          : readValue(value, { workflow: workflow.name, name, spec }),
      ]
    }),
  )
}

export interface ResolvedMode extends ModeSpec {
  /** Undefined for a workflow without modes, which begins at its first step. */
  readonly name?: string
}

/** The mode that was asked for; else the default of the input `mode`; else the first. */
export function resolveMode(workflow: Workflow, wanted?: string): ResolvedMode {
  const name = wanted ?? defaultMode(workflow)
  if (name === undefined) return { from: workflow.steps[0]?.id ?? '' }
  const mode = Object.hasOwn(workflow.modes, name) ? workflow.modes[name] : undefined
  if (mode) return { name, ...mode }
  throw new FailureError({
    code: 'mode.unknown',
    message: `Unknown mode '${name}' for workflow '${workflow.name}'.`,
    next: modesLine(workflow.name, Object.keys(workflow.modes)),
  })
}

function defaultMode({ inputs, modes }: Workflow): string | undefined {
  const [first] = Object.keys(modes)
  const preferred = inputs['mode']?.default
  return first !== undefined && typeof preferred === 'string' ? preferred : first
}

function modesLine(workflow: string, names: readonly string[]): string {
  const [first] = names
  if (first === undefined) return `This workflow has no modes: baton run --workflow ${workflow} "<task>"`
  return `Modes: ${names.join(', ')}. For example: baton run --workflow ${workflow} --mode ${first} "<task>"`
}

function refuseUnknown(workflow: Workflow, name: string): void {
  const known = Object.keys(workflow.inputs)
  if (known.includes(name) || (name === 'mode' && Object.keys(workflow.modes).length > 0)) return
  throw new FailureError({
    code: 'input.unknown',
    message: `Workflow '${workflow.name}' has no input '${name}'.`,
    next: `${sentence(writeInstead(name, known))}.`,
  })
}

function fallback(workflow: Workflow, name: string, typed: string | undefined): Json {
  const spec = workflow.inputs[name]
  if (spec?.default !== undefined) return spec.default
  if (!spec?.required) return spec?.list ? [] : ''
  const which = typed === undefined ? '' : ` --workflow ${shellWord(typed)}`
  throw new FailureError({
    code: 'input.missing',
    message: `Workflow '${workflow.name}' needs the input '${name}'.`,
    next: name === 'task' ? `Say what to do: baton run${which} "<task>"` : `Add: --input ${name}=<value>`,
  })
}

function isEmpty(value: string | readonly string[] | undefined): value is undefined {
  return value === undefined || [value].flat().every((one) => one.trim() === '')
}

interface NamedInput {
  readonly workflow: string
  readonly name: string
  readonly spec: InputSpec
}

/** A list is separated by commas, or given by repeating the input. */
function readValue(value: string | readonly string[], input: NamedInput): Json {
  const { name, spec } = input
  if (!spec.list) {
    const [one = '', ...others] = [value].flat()
    if (others.length > 0)
      throw invalid(input, {
        message: `Input '${name}' takes one value.`,
        next: `write --input ${name}=<value> once`,
      })
    return readOne(one, input)
  }
  const parts = [value].flat().flatMap((part) => part.split(','))
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => readOne(part, input))
}

function readOne(text: string, input: NamedInput): Json {
  const { name, spec } = input
  const [fix] = valueFindings(text, spec)
  if (fix !== undefined) throw invalid(input, { message: `Input '${name}' cannot be '${text}'.`, next: fix })
  return spec.type === 'number' ? Number(text) : text
}

function invalid(
  { workflow, spec }: NamedInput,
  { message, next }: { message: string; next: string },
): FailureError {
  const about = spec.description === '' ? '' : ` (${spec.description})`
  return new FailureError({
    code: 'input.invalid',
    message,
    next: `${sentence(next)}${about}; see: baton workflow show ${workflow}`,
  })
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
