import type { PersonMessage, PersonVerb } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { Feedback, StepResult } from '../model/step-result.ts'
import type { Step } from '../model/workflow.ts'
import { resetCounts } from './choose-route.ts'
import type { Frame } from './frame.ts'
import { feedbackOf } from './hand-over.ts'
import { decide } from './ledger.ts'

export type Reply =
  | { readonly type: 'onwards' }
  | { readonly type: 'again'; readonly feedback: readonly Feedback[] }
  | { readonly type: 'back'; readonly result: StepResult; readonly feedback: readonly Feedback[] }

interface About {
  readonly step: Step
  readonly result: StepResult
  readonly key: string
}

/** `ask` as a target speaks for the step that led there. Free text is never an approval. */
export async function askAbout(frame: Frame, about: About): Promise<Reply> {
  const message = await ask(frame, {
    key: `${about.key}/person`,
    step: about.step.id,
    text: questionAbout(about),
    verbs: verbsFor(about.result),
  })
  decide(frame.ledger, about.step.id)
  return replyTo(frame, about, message)
}

/** Asks until an answer comes that the question takes. */
export async function ask(
  frame: Frame,
  question: {
    readonly key: string
    readonly step: string
    readonly text: string
    readonly verbs: readonly PersonVerb[]
  },
): Promise<PersonMessage> {
  const { key, step, text, verbs } = question
  await frame.context.record(
    `${key}/asked`,
    engineEvent('person.asked', { step, question: text, verbs: [...verbs] }),
  )
  for (let round = 1; ; round++) {
    const message = await frame.context.message(`${key}/${round}`, { step, text, verbs })
    if (!message || !verbs.includes(message.verb)) continue
    const said = { step, verb: message.verb, text: message.text }
    await frame.context.record(`${key}/answered`, engineEvent('person.answered', said))
    if (message.text !== '') frame.said.push(message.text)
    return message
  }
}

function questionAbout({ step, result }: About): string {
  const why = result.reason ?? feedbackOf(step, result, undefined).text
  const label = result.label === undefined || result.label === result.outcome ? '' : ` (${result.label})`
  return `Step '${step.id}' ended ${result.outcome}${label}${why === '' ? '.' : `: ${why}`}`
}

/** Nobody can approve away a failed check: with a gate unmet, only `reject` and `answer` are taken. */
function verbsFor(result: StepResult): readonly PersonVerb[] {
  return result.gates.some(({ met, judged }) => !met && judged !== true)
    ? ['reject', 'answer']
    : ['approve', 'reject', 'answer']
}

function replyTo(frame: Frame, { step, result }: About, message: PersonMessage): Reply {
  const said: Feedback = { from: 'person', text: message.text, paths: [] }
  const findings = feedbackOf(step, result, undefined)
  switch (message.verb) {
    case 'approve':
      return result.outcome === 'revise' || result.outcome === 'escalate'
        ? { type: 'onwards' }
        : { type: 'again', feedback: message.text === '' ? [] : [said] }
    case 'answer':
      return { type: 'again', feedback: [said] }
    case 'reject': {
      resetCounts(frame.ledger, step.id)
      const { label: _label, ...rest } = result
      const why = message.text === '' ? {} : { reason: message.text }
      return { type: 'back', result: { ...rest, outcome: 'revise', ...why }, feedback: [findings, said] }
    }
  }
}
