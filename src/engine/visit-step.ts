import { engineEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { StepRequest, StepResult } from '../model/step-result.ts'
import type { AskStep, Step, WorkStep } from '../model/workflow.ts'
import { expand, expandValue } from '../model/template.ts'
import { ask } from './ask-person.ts'
import { gatesFor } from './conditions.ts'
import { nextVisit, plainResult, valuesIn } from './frame.ts'
import type { Frame, RunList } from './frame.ts'
import { agreedOf, readsOf, speakerOf } from './hand-over.ts'
import { judgeStep, verifyStep } from './judge-step.ts'
import { latestWhere } from './ledger.ts'
import { limitsOf, performWork, refuseToSpend } from './perform-work.ts'
import { timeFor } from './step-time.ts'
import type { StepTime } from './step-time.ts'
import { runEach } from './run-each.ts'
import { endMoments, speak } from './speak.ts'
import { EscalatedError, takeGuidance } from './supervise.ts'
import { resultValues } from './values.ts'

export interface Visited {
  readonly result: StepResult
  readonly key: string
}

/** One visit: announce, do, record what came of it, say so. */
export async function visitStep(frame: Frame, step: Step, runList: RunList): Promise<Visited> {
  if (step.type === 'agent') refuseToSpend(frame)
  const { visit, key } = nextVisit(frame, step.id)
  const time = await timeFor(frame, step, key)
  const valuesNow = (): JsonObject => valuesIn(frame, localValues(frame, step, visit))
  const about = { step: step.id, visit, kind: step.type }
  const speaker = speakerOf(step)
  await frame.context.record(`${key}/started`, { type: 'step.started', role: speaker, data: about })
  if (step.type !== 'each')
    await speak(frame.context, step, { names: ['start'], key, speaker, values: valuesNow })

  const result = time.isLate
    ? plainResult('failed', {
        label: 'time',
        reason: `the time for '${step.id}' was used up before it began`,
      })
    : await perform(withTime(frame, time), { step, key, visit, values: once(valuesNow) }, runList).catch(
        brokenOff(frame, about, key),
      )

  frame.ledger.entries.push({ step: step.id, visit, result })
  assign(frame, step)
  await frame.context.record(`${key}/finished`, () => ({
    ...{ type: 'step.finished', role: speaker },
    data: { ...about, outcome: result.outcome, ...labelled(result) },
  }))
  if (step.type !== 'each') {
    // Its own results by its own name too: `{measure.level}`.
    const values = (): JsonObject => ({ ...valuesNow(), ...resultValues(result), role: speaker })
    const names = endMoments(result.label, result.outcome)
    await speak(frame.context, step, { names, key, speaker, values })
    if (result.commit !== undefined && result.facts['committed'] === true) {
      await speak(frame.context, step, { names: ['commit'], key, speaker, values })
    }
  }
  return { result, key }
}

/** Most visits that are replayed never ask for the values; who asks twice is given the same. */
function once(make: () => JsonObject): () => JsonObject {
  let made: JsonObject | undefined
  return () => (made ??= make())
}

/** What the step may take is never more than what the frame around it may. */
function withTime(frame: Frame, { deadline, runDeadline }: StepTime): Frame {
  if (deadline === undefined && runDeadline === undefined) return frame
  return {
    ...frame,
    ...(deadline === undefined ? {} : { deadline }),
    ...(runDeadline === undefined ? {} : { runDeadline }),
  }
}

/** From now on these values are the run's, for every step that follows. */
function assign(frame: Frame, { sets }: Step): void {
  if (!sets) return
  const values = valuesIn(frame)
  for (const [name, template] of Object.entries(sets)) frame.assigned.set(name, expandValue(template, values))
}

function labelled(result: StepResult): JsonObject {
  return {
    ...(result.label === undefined ? {} : { label: result.label }),
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    ...(result.commit === undefined ? {} : { commit: result.commit }),
    ...(result.writes.length === 0 ? {} : { writes: result.writes }),
  }
}

function localValues(frame: Frame, step: Step, visit: number): JsonObject {
  const feedback = frame.feedback.map(({ text }) => text).join('\n')
  return { step: step.id, role: speakerOf(step), n: visit, iteration: visit - 1, feedback }
}

/** Work under way when a level leads elsewhere ends failed, each step of it. */
function brokenOff(frame: Frame, about: JsonObject, key: string): (error: unknown) => Promise<never> {
  return async (error) => {
    if (error instanceof EscalatedError) {
      const data = { ...about, outcome: 'failed', label: error.level, reason: error.message }
      await frame.context.record(`${key}/finished`, engineEvent('step.finished', data))
    }
    throw error
  }
}

interface Visit {
  readonly step: Step
  readonly key: string
  readonly visit: number
  readonly values: () => JsonObject
}

async function perform(frame: Frame, visit: Visit, runList: RunList): Promise<StepResult> {
  const { key, values } = visit
  const gates = gatesFor(visit.step, values)
  const step = gates === visit.step.gates ? visit.step : { ...visit.step, gates }
  switch (step.type) {
    case 'each':
      return runEach(frame, { step, key }, runList)
    case 'ask':
      return askStep(frame, step, visit)
    case 'verify':
      return verifyStep(frame, { step, key, visit: visit.visit, values: values() })
    case 'agent':
    case 'check':
    case 'do': {
      const performed = await performWork(frame, requestOf(frame, step, visit))
      if (performed.answer !== undefined) await announceAnswer(frame, visit, performed)
      const held = withEvidence(step, performed)
      if (step.judged === undefined) return held
      return judgeStep(frame, { step, key, visit: visit.visit, values: values() }, held)
    }
  }
}

/** An answer is there: what comes of it, once it was judged, is another moment. */
async function announceAnswer(frame: Frame, visit: Visit, result: StepResult): Promise<void> {
  const { step, key } = visit
  const values = () => ({ ...visit.values(), ...resultValues(result) })
  await speak(frame.context, step, { names: ['answer'], key, speaker: speakerOf(step), values })
}

/** A check that failed is as good as an unmet gate, also for the lists around it: nobody can approve it away. */
function withEvidence(step: WorkStep, result: StepResult): StepResult {
  if (step.type !== 'check' || result.outcome !== 'revise') return result
  const gate = { gate: step.checks.join(', '), met: false, facts: result.reason ?? result.label ?? '' }
  return { ...result, gates: [...result.gates, gate] }
}

function requestOf(frame: Frame, step: WorkStep, { key, visit, values }: Visit): StepRequest {
  const request = {
    workflow: frame.workflow,
    step,
    key,
    visit,
    // Only who does the work asks for them: what is replayed is many times faster without.
    get values() {
      return values()
    },
    reads: readsOf(step, frame.ledger),
    feedback: frame.feedback,
    agreed: agreedOf(step, frame),
  }
  const isAgent = step.type === 'agent'
  const merge = isAgent && step.role.capabilities.includes('merge') ? mergeOf(frame) : {}
  return Object.assign(request, limitsOf(frame), merge, isAgent ? takeGuidance(frame) : {})
}

/** A role that may merge continues the merge that ended in conflict last. */
function mergeOf(frame: Frame): Pick<StepRequest, 'mergeHead' | 'mergeFrom'> {
  const isMerge = ({ facts }: StepResult) =>
    facts['merge_head'] !== undefined || facts['merged'] !== undefined
  const result = latestWhere(frame.ledger, isMerge)?.result
  const head = result?.facts['merge_head']
  if (typeof head !== 'string') return {}
  return { mergeHead: head, ...(result?.commit === undefined ? {} : { mergeFrom: result.commit }) }
}

async function askStep(frame: Frame, step: AskStep, { key, values }: Visit): Promise<StepResult> {
  const text = expand(step.question, values())
  const message = await ask(frame, {
    // Another key than that of `ask` as a target, to which this step may lead.
    key: `${key}/question`,
    step: step.id,
    text,
    verbs: ['approve', 'reject'],
  })
  const answer = { verb: message.verb, feedback: message.text }
  if (message.verb === 'approve') return plainResult('ok', { answer })
  return plainResult('revise', { answer, reason: message.text })
}
