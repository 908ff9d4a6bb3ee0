import { textOf } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'
import { identifierOf, verbsAt } from '../model/stretch.ts'
import type { Workflow } from '../model/workflow.ts'

/** The command that goes on with a run that pauses. */
export function goOnWith(workflow: Workflow, state: Pick<RunState, 'run' | 'next' | 'inputs'>): string {
  const [verb] = verbsAt(workflow, state.next)
  return verb === undefined ? `baton resume ${state.run}` : verbLine(workflow, verb, state.inputs)
}

/** `baton challenge add-auth` */
export function verbLine(
  workflow: Pick<Workflow, 'inputs'>,
  verb: string,
  inputs: RunState['inputs'],
): string {
  const name = identifierOf(workflow)
  const id = name === undefined ? '' : textOf(inputs[name])
  return `baton ${verb}${id === '' ? '' : ` ${id}`}`
}
