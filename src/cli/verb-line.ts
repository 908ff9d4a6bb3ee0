import { textOf } from '../model/json.ts'
import type { RunFacts, RunState } from '../model/run-state.ts'
import { identifierOf, verbsAt } from '../model/stretch.ts'
import type { Workflow } from '../model/workflow.ts'

/** The command that goes on with a run that pauses. */
export function goOnWith(workflow: Workflow, state: RunFacts): string {
  const [verb] = verbsAt(workflow, state.next, wasDone(state))
  return verb === undefined ? `baton resume ${state.run}` : verbLine(workflow, verb, state.inputs)
}

/** A step that failed, and has never left anything, is done for the first time once more. */
function wasDone({ next, currentStep, artifacts }: RunFacts): boolean {
  return currentStep !== next || (artifacts[next] ?? []).length > 0
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
