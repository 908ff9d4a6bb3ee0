import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Agreed, ReadItem, StepRequest, StepResult } from '../model/step-result.ts'
import type { GateDefinition } from '../model/supervision.ts'
import type { AgentStep, Step } from '../model/workflow.ts'
import type { Frame } from './frame.ts'
import { plainResult, valuesIn } from './frame.ts'
import { agreedOf, readsOf } from './hand-over.ts'
import { afterJudgement, judgementOf } from './judgement.ts'
import type { Judgement } from './judgement.ts'
import { limitsOf, performWork, refuseToSpend } from './perform-work.ts'
import { speak } from './speak.ts'
import { assess } from './supervise.ts'

/** A visit that may have to be judged. */
export interface JudgedVisit {
  readonly step: Step
  readonly key: string
  readonly visit: number
  readonly values: JsonObject
}

/** Puts an answer to the supervising role, gate by gate, once the engine's own conditions are met (C-48). */
export async function judgeStep(frame: Frame, visit: JudgedVisit, result: StepResult): Promise<StepResult> {
  let judged = result
  for (const name of visit.step.judged ?? []) {
    const gate = frame.workflow.gates?.[name]
    // Without an answer there is nothing to judge, and what the engine has refuted needs no second opinion.
    if (!gate || result.outcome === 'failed') return judged
    const refuted = judged.gates.find(({ met }) => !met)
    if (refuted) {
      if (refuted.of === name) await noteRefuted(frame, visit, refuted.facts)
      return judged
    }
    judged = await judgeGate(frame, { ...visit, gate }, judged)
    if (judged.outcome !== result.outcome) return judged
  }
  return judged
}

/** A gate that is closed by the engine itself counts as an issue too (C-52), though nobody was asked. */
async function noteRefuted(frame: Frame, visit: JudgedVisit, facts: string): Promise<void> {
  const [gate = ''] = visit.step.judged ?? []
  const judgement: Judgement = { verdict: 'unmet', facts }
  const about = { key: `${visit.key}/judge/${gate}`, step: visit.step.id, gate }
  await assess(frame, { ...about, judgement, isUnverified: false })
}

async function judgeGate(
  frame: Frame,
  visit: JudgedVisit & { readonly gate: GateDefinition },
  result: StepResult,
): Promise<StepResult> {
  const { gate, step } = visit
  refuseToSpend(frame)
  const key = `${visit.key}/judge/${gate.name}`
  const judge = judgeOf(frame, visit, result)
  const announced = { key, speaker: judge.role.title }
  const tables = { says: {}, emits: frame.workflow.supervision?.emits ?? {} }
  const about = { gate: gate.name, step: step.id }
  const before = () => valuesIn(frame, about)
  await speak(frame.context, tables, { ...announced, names: ['start'], values: before })
  const answered = await performWork(frame, requestOf(frame, { visit, judge, key }, result))
  const judgement = judgementOf(gate, answered)
  const { verdict, score } = judgement
  const after = () => valuesIn(frame, { ...about, score: score ?? '', label: verdict })
  await speak(frame.context, tables, { ...announced, names: [verdict, 'end'], values: after })
  const judged = afterJudgement(gate, judgement, result)
  const isUnverified = verdict === 'inconclusive' && gate.inconclusive === 'conditions'
  await assess(frame, { key, step: step.id, gate: gate.name, judgement, isUnverified })
  return judged
}

/** The supervising role at work: a step that no file names, told what it judges and by which points. */
function judgeOf(
  frame: Frame,
  { step, gate, values }: JudgedVisit & { readonly gate: GateDefinition },
  result: StepResult,
): AgentStep {
  const role = frame.workflow.roles[frame.workflow.supervision?.role ?? '']
  // The loader has checked that there is one.
  if (!role) throw new Error(`nobody can judge '${gate.name}'`)
  const scope = gate.of ?? scopeOf(values)
  const about: JsonObject = {
    ...{ gate: gate.name, scope, points: gate.points },
    ...(scope === 'item' ? { item: values['item'] ?? {} } : { items: countsIn(frame) }),
    ...(step.type === 'agent' ? { step: step.id, role: step.role.title } : {}),
    ...(result.answer === undefined ? {} : { answer: result.answer }),
    checked: result.gates.map(({ gate: name, met, facts }) => ({ gate: name, met, facts })),
  }
  return {
    ...{ type: 'agent', id: role.name, role, when: {}, reads: [], writes: [] },
    // What the whole run is held against is what its step was given too, such as parts of the goal.
    with: { ...braced(about), ...(scope === 'run' ? step.with : {}) },
    ...{ gates: [], on: {}, says: {}, emits: {} },
  }
}

function scopeOf({ item }: JsonObject): 'item' | 'run' {
  return item === undefined || item === '' ? 'run' : 'item'
}

function countsIn({ watch }: Frame): JsonObject {
  const { total, ok, failed } = watch.items
  return { total, ok, failed: [...failed] }
}

/** Values pass through templates on their way into the prompt; an agent's braces are no variables. */
function braced(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, escaped(part)]))
}

function escaped(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('{', '{{').replaceAll('}', '}}')
  if (Array.isArray(value)) return value.map((part: Json) => escaped(part))
  return isJsonObject(value) ? braced(value) : value
}

function requestOf(
  frame: Frame,
  { visit, judge, key }: { readonly visit: JudgedVisit; readonly judge: AgentStep; readonly key: string },
  result: StepResult,
): StepRequest {
  const { step, values } = visit
  const agreed = agreedOf(step, frame)
  const isChanged = result.commit !== undefined && result.commit !== agreed.since
  const gate = key.slice(key.lastIndexOf('/') + 1)
  return {
    ...{ workflow: frame.workflow, step: judge, key, visit: visit.visit, feedback: [], agreed },
    values: { ...values, gate, judged_step: step.id, role: judge.role.title },
    reads: [...handed(step, frame), ...(isChanged ? [diffOf(agreed)] : [])],
    ...limitsOf(frame),
  }
}

/**
 * Inside of an item what it has changed, whatever the scope: what was there before it was judged with the items before.
 * With the whole branch every judgement would read more than the last one.
 */
function diffOf({ since }: Agreed): ReadItem {
  return { type: 'diff', ...(since === undefined ? {} : { since }) }
}

function handed(step: Step, { ledger }: Frame): ReadItem[] {
  return readsOf(step, ledger).filter(({ type }) => type !== 'diff')
}

/** `verify`: the engine's conditions on the branch as it stands, then the supervising role. */
export async function verifyStep(
  frame: Frame,
  visit: JudgedVisit & { readonly step: Step & { type: 'verify' } },
): Promise<StepResult> {
  const { step, key, values } = visit
  const request = { step, key, values, agreed: agreedOf(step, frame), ...limitsOf(frame) }
  const gates = step.gates.length === 0 ? [] : await frame.performer.recheck(frame.context, request)
  const unmet = gates.find(({ met }) => !met)
  if (unmet) {
    await noteRefuted(frame, visit, unmet.facts)
    const reason = `${unmet.gate}: ${unmet.facts}`
    return plainResult('revise', { label: step.gate, reason, gates })
  }
  const gate = frame.workflow.gates?.[step.gate]
  const held = plainResult('ok', { gates, commit: frame.watch.tip })
  if (!gate || gate.points.length === 0) return held
  const judged = await judgeGate(frame, { ...visit, gate }, held)
  const { verification } = judged.facts
  return isJsonObject(verification) ? { ...judged, answer: verification } : judged
}
