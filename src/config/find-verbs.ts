import { FailureError } from '../model/failure.ts'
import type { InputSpec, ModeSpec } from '../model/workflow.ts'
import { workflowFilesIn } from './find-files.ts'
import type { Layer } from './layers.ts'
import { readWorkflow } from './load-workflow.ts'
import { normalizeInput, normalizeMode } from './normalize-workflow.ts'
import { mapped } from './records.ts'

/** A mode of a workflow, as a word of the command line. */
export interface Verb {
  readonly name: string
  readonly workflow: string
  readonly mode: ModeSpec
  readonly inputs: Readonly<Record<string, InputSpec>>
  /** The inputs that are words after it, in order. */
  readonly takes: readonly string[]
}

/** Every mode is a verb, so that a workflow brings its own commands. Of two with one name, the stronger layer's counts. */
export async function findVerbs(layers: readonly Layer[]): Promise<Verb[]> {
  const verbs = new Map<string, Verb>()
  const seen = new Set<string>()
  for (const layer of layers) {
    for (const { name } of await workflowFilesIn(layer)) {
      if (seen.has(name)) continue
      seen.add(name)
      for (const verb of await verbsOf(name, layers)) {
        if (!verbs.has(verb.name)) verbs.set(verb.name, verb)
      }
    }
  }
  return [...verbs.values()]
}

async function verbsOf(name: string, layers: readonly Layer[]): Promise<Verb[]> {
  const read = await readWorkflow(name, layers).catch((error: unknown) => {
    // A broken file says so when it is used; until then it must not take the other verbs away.
    if (error instanceof FailureError) return undefined
    throw error
  })
  if (!read) return []
  const inputs = mapped(read.file.inputs, normalizeInput)
  return Object.entries(read.file.modes ?? {}).map(([verb, written]) => {
    const mode = normalizeMode(written)
    return { name: verb, workflow: name, mode, inputs, takes: mode.takes ?? taskOf(inputs) }
  })
}

/** What a run is about has one of these names. */
const aboutNames = ['task', 'goal', 'description']

function taskOf(inputs: Verb['inputs']): string[] {
  const name = aboutNames.find((one) => Object.hasOwn(inputs, one))
  return name === undefined ? [] : [name]
}
