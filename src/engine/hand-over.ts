import { textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Step } from '../model/workflow.ts'
import type { Agreed, Feedback, ReadItem, StepResult } from '../model/step-result.ts'
import { allOf, latest } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import type { Frame } from './frame.ts'

/** What a step is given to read, by path: what does not exist is left out. */
export function readsOf(step: Step, ledger: Ledger): ReadItem[] {
  const named = step.reads.flatMap((name) => (name === step.id ? [] : readOne(name, ledger)))
  return named.concat(earlierFindings(step, ledger))
}

function readOne(name: string, ledger: Ledger): ReadItem[] {
  if (name === 'diff' || name === 'conflicts') return [{ type: name }]
  const entry = latest(ledger, name)
  if (!entry) return []
  const { writes, answer, facts } = entry.result
  if (writes.length > 0) return [{ type: 'artifact', name, paths: writes, earlier: false }]
  return [{ type: 'answer', name, value: answer ?? facts }]
}

/** A reviewer is a fresh process each time: without its earlier findings it would start the argument anew. */
function earlierFindings(step: Step, ledger: Ledger): ReadItem[] {
  if (!isReview(step) && !step.reads.includes(step.id)) return []
  // Without a visit: what a person or a fragment made of the round before it.
  const rounds = allOf(ledger, step.id).filter(({ visit }) => visit > 0)
  return rounds.flatMap(({ result: { writes, answer } }): ReadItem[] => {
    if (writes.length > 0) return [{ type: 'artifact', name: step.id, paths: writes, earlier: true }]
    return answer === undefined ? [] : [{ type: 'answer', name: step.id, value: answer }]
  })
}

function isReview(step: Step): boolean {
  if (step.type !== 'agent' || step.role.commits === 'agent') return false
  return Object.keys(step.role.verdicts).length > 0
}

/** What the step's gates may hold the work against: what the steps that they name have written, and people's words. */
export function agreedOf(step: Step, frame: AgreedFrame): Agreed {
  const { ledger, since, watch } = frame
  const plans = step.gates.length === 0 ? {} : plansFor(step, ledger)
  const evidence = newest(ledger).flatMap(evidenceIn)
  const said = [...frame.said]
  const { items } = watch
  return since === undefined ? { plans, said, items, evidence } : { plans, said, items, evidence, since }
}

function plansFor(step: Step, ledger: Ledger): Agreed['plans'] {
  const plans = step.gates.flatMap(({ name, parameters }) => {
    const planner = parameters[name]
    if (typeof planner !== 'string') return []
    const entry = allOf(ledger, planner).findLast(({ result }) => result.writes.length > 0)
    const commit = entry?.result.commit
    return entry && commit !== undefined ? [[planner, { paths: entry.result.writes, commit }] as const] : []
  })
  return Object.fromEntries(plans)
}

type AgreedFrame = Pick<Frame, 'ledger' | 'said' | 'since' | 'watch'>

/** What each step of this list came to last: an earlier answer may name what is no more. */
function newest({ entries }: Ledger): StepResult[] {
  if (entries.length === 0) return []
  return [...new Map(entries.map(({ step, result }) => [step, result])).values()]
}

/** Files that an answer names as proof of what it says. */
function evidenceIn({ answer }: StepResult): string[] {
  const evidence = answer?.['evidence']
  return Array.isArray(evidence) ? evidence.filter((one: Json) => typeof one === 'string') : []
}

/** What goes back with a route: the named field of the answer, the gates' facts, or the artifact itself. */
export function feedbackOf(step: Step, result: StepResult, field: string | undefined): Feedback {
  const wanted = field ?? (step.type === 'agent' ? step.role.feedback : 'reason')
  return { from: step.id, text: feedbackText(result, wanted), paths: result.writes }
}

function feedbackText(result: StepResult, field: string): string {
  const unmet = result.gates.filter(({ met }) => !met).map(({ gate, facts }) => `${gate}: ${facts}`)
  const said = textOf(result.answer?.[field])
  const parts = field === 'gates' || unmet.length > 0 ? [said, ...unmet] : [said]
  return parts.filter((part) => part !== '').join('\n') || (result.reason ?? '')
}

/** The name under which people know who does a step. */
export function speakerOf(step: Step): string {
  return step.type === 'agent' ? step.role.title : 'ORCHESTRATOR'
}
