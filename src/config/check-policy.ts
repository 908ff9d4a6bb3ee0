import { FailureError } from '../model/failure.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import type { Role, Step, Workflow } from '../model/workflow.ts'
import { normalizeGate } from './file-gates.ts'
import { writtenRole } from './normalize-role.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'

/** A journal holds what is left of a text after the cut. */
const longestCut = 20_000

/** What a file declares for the whole run is enforced, or refused here: a rule that nothing follows is worse than none. */
export function checkPolicy(outline: Outline): Finding[] {
  return [...cutFindings(outline.file), ...testsFindings(outline), ...editsFindings(outline)]
}

function cutFindings({ policy }: WorkflowFile): Finding[] {
  const cut = policy?.cut
  if (!cut) return []
  const path = ['policy', 'cut']
  if (cut.above > longestCut) {
    const message = `'cut' keeps texts of up to ${cut.above} characters whole, and at most ${longestCut} can be`
    return [{ path: [...path, 'above'], message, fix: `write ${longestCut} or less` }]
  }
  if (cut.head + cut.between.length + cut.tail <= cut.above) return []
  const message = "'cut' would make a text longer: 'head', 'between' and 'tail' together exceed 'above'"
  return [{ path, atKey: true, message, fix: "make 'head' or 'tail' smaller" }]
}

/** Who may write has to be held to it; a role whose files the engine writes is refused before anything is written. */
function testsFindings({ file, steps }: Outline): Finding[] {
  if (file.policy?.tests !== 'read_only') return []
  return steps.flatMap(({ step, path }) => {
    if (step.agent === undefined) return []
    const { may_write: mayWrite = [], edits } = writtenRole(file, step.agent, step)
    const isHeld = (step.gates ?? []).some((gate) => normalizeGate(gate).name === 'tests_untouched')
    if (mayWrite.length === 0 || edits === 'engine' || isHeld) return []
    const message = `'tests: read_only' is not held to by step '${step.id}', whose role may write`
    return [{ path: [...path, 'gates'], message, fix: "add 'tests_untouched' to its 'gates'" }]
  })
}

/** Files come in the answer, so it has to be JSON alone; and nothing is committed by who writes nothing. */
function editsFindings({ file, steps }: Outline): Finding[] {
  return steps.flatMap((place) => (place.step.agent === undefined ? [] : editFindings(file, place)))
}

function editFindings(file: WorkflowFile, { step, path }: StepPlace): Finding[] {
  const { edits, answer, commits } = writtenRole(file, step.agent ?? '', step)
  if (edits !== 'engine') return []
  const at = { path: [...path, 'agent'] }
  if (commits === 'agent') {
    const message = `role '${step.agent}' cannot commit what the engine writes`
    return [{ ...at, message, fix: "write 'commits: engine'" }]
  }
  if (answer === 'json_only') return []
  const message = `role '${step.agent}' has 'edits: engine', but its answer may hold other text`
  return [{ ...at, message, fix: "write 'answer: json_only'" }]
}

/** After the settings have said who plays: with `network: none`, only who needs none. */
export function refuseNetwork(workflow: Workflow, offline: readonly string[]): void {
  if (workflow.policy.network !== 'none') return
  const role = rolesOf(workflow).find(({ provider }) => !offline.includes(provider))
  if (!role) return
  throw new FailureError({
    code: 'policy.network',
    message: `Workflow '${workflow.name}' allows no network, and the provider '${role.provider}' of role '${role.name}' needs one.`,
    next: `Choose one that needs none: --provider ${offline.join(' or --provider ')}`,
  })
}

function rolesOf({ steps, fragments }: Workflow): Role[] {
  const inList = (list: readonly Step[]): Role[] =>
    list.flatMap((step) => {
      if (step.type === 'each') return inList(step.steps)
      return step.type === 'agent' ? [step.role] : []
    })
  return [steps, ...Object.values(fragments)].flatMap(inList)
}
