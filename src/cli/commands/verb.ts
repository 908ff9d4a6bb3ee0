import type { Verb } from '../../config/find-verbs.ts'
import { FailureError } from '../../model/failure.ts'
import { shellWord } from '../../model/shell-word.ts'
import { identifierOf } from '../../model/stretch.ts'
import { slugOf } from '../../model/slug.ts'
import { activeRuns } from '../active-runs.ts'
import type { ActiveRun } from '../active-runs.ts'
import type { Command } from '../command.ts'
import { detachRun } from '../detach-run.ts'
import { goOn } from '../go-on.ts'
import { openProject } from '../project.ts'
import { typedInputs } from '../typed-inputs.ts'
import type { TypedVerb } from '../typed-inputs.ts'
import { run } from './run.ts'
import type { RunFlags } from './run.ts'

/** A verb of a workflow: begins a run, or goes on with the one that it names. */
export async function doVerb(command: Command, verb: Verb, typed: TypedVerb): Promise<number> {
  if (typed.flags['detach'] === true) return detachRun(command)
  const inputs = typedInputs(verb, typed)
  const identifier = identifierOf(verb)
  if (identifier === undefined) return begin(command, verb, { typed, inputs })
  const { cwd, env } = command.surroundings
  const { runsDir } = await openProject(cwd, env)
  const active = await activeRuns(runsDir, { workflow: verb.workflow, identifier })
  const named =
    inputs[identifier] === undefined
      ? { ...inputs, ...nameFor(verb, identifier, { inputs, active }) }
      : inputs
  const found = chooseRun(verb, { id: named[identifier], identifier, active })
  return found
    ? goOn(command, { verb, found, identifier, inputs: named, flags: typed.flags })
    : begin(command, verb, { typed, inputs: named })
}

interface Asked {
  readonly typed: TypedVerb
  readonly inputs: Readonly<Record<string, string>>
}

async function begin(command: Command, verb: Verb, { typed, inputs }: Asked): Promise<number> {
  requireWords(verb, inputs)
  const flags: RunFlags = {
    ...typed.flags,
    workflow: verb.workflow,
    mode: verb.name,
    input: Object.entries(inputs).map(([name, value]) => `${name}=${value}`),
  }
  return run(command, [], flags)
}

/** What is said after the verb is asked for as it is typed, not as an input of the workflow. */
function requireWords({ name, takes, inputs }: Verb, given: Asked['inputs']): void {
  const missing = takes.find((one) => inputs[one]?.required === true && (given[one] ?? '').trim() === '')
  if (missing === undefined) return
  throw new FailureError({
    code: 'input.missing',
    message: `'baton ${name}' needs words: ${inputs[missing]?.description ?? missing}.`,
    next: `Say it: baton ${[name, ...takes.map((one) => `"<${one.replaceAll('_', ' ')}>"`)].join(' ')}`,
  })
}

/** Without a name: the words themselves may be one, or the name is made from them. */
function nameFor(
  verb: Verb,
  identifier: string,
  {
    inputs,
    active,
  }: { readonly inputs: Readonly<Record<string, string>>; readonly active: readonly ActiveRun[] },
): Record<string, string> {
  const about = inputs[verb.takes.at(-1) ?? '']
  if (about === undefined || !startsRuns(verb)) return {}
  const known = active.some(({ id }) => id === about)
  return { [identifier]: known ? about : slugOf(about) }
}

function startsRuns({ mode }: Verb): boolean {
  return mode.starts ?? mode.to === undefined
}

interface Choice {
  readonly id: string | undefined
  readonly identifier: string
  readonly active: readonly ActiveRun[]
}

/** The run that is meant; undefined where a new one is to begin. */
function chooseRun(verb: Verb, { id, identifier, active }: Choice): ActiveRun | undefined {
  const what = nounOf(identifier)
  if (id !== undefined) {
    const found = active.findLast((one) => one.id === id)
    if (found || startsRuns(verb)) return found
    throw new FailureError({
      code: 'verb.unknown',
      message: `There is no active ${what} '${id}'.`,
      next: nameOne(verb, active),
    })
  }
  const [only, ...others] = active
  if (!only) {
    throw new FailureError({
      code: 'verb.none',
      message: `There is no active ${what}.`,
      next: beginLine(verb),
    })
  }
  if (others.length === 0) return only
  throw new FailureError({
    code: 'verb.several',
    message: `There are ${active.length} active ${what}s: ${listed(active)}.`,
    next: nameOne(verb, active),
  })
}

/** `change_id` identifies a change. */
function nounOf(identifier: string): string {
  return identifier.replace(/_id$/, '').replaceAll('_', ' ')
}

function listed(active: readonly ActiveRun[]): string {
  return active.map(({ id, folder }) => `${id} (run ${folder.id})`).join(', ')
}

function nameOne(verb: Verb, active: readonly ActiveRun[]): string {
  const lines = active.map(({ id }) => `baton ${verb.name} ${shellWord(id)}`)
  return lines.length === 0 ? beginLine(verb) : `Name one: ${lines.join(' | ')}`
}

function beginLine({ workflow }: Verb): string {
  return `Begin one: baton ${workflow} --help`
}
