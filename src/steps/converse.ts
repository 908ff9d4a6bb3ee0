import type { DurableContext } from '../model/durable.ts'
import type { EventType } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateReport } from '../model/step-result.ts'
import { nextCall } from './next-call.ts'
import type { CallResult, NextCall } from './next-call.ts'
import { oneCall, privateNameOf } from './one-call.ts'
import type { Conversation, Round } from './one-call.ts'

export type Conversed =
  | {
      readonly type: 'answered'
      readonly result: CallResult & { type: 'answered' }
      readonly privateName: string
    }
  | Failed

export type Failed = {
  readonly type: 'failed'
  readonly label: string
  readonly reason: string
  readonly gate?: GateReport
}

/** Calls the agent until it has given an answer that can be used, or no further call would help. */
export async function converse(context: DurableContext, conversation: Conversation): Promise<Conversed> {
  const { key, step } = conversation.request
  const history: CallResult[] = []
  let opening = 1
  let problem: string | undefined
  for (let call = 1; ; call++) {
    if (problem === undefined) opening = call
    const round: Round = { call, opening, problem }
    const result = await context.step<CallResult>(`${key}/call/${call}`, (attempt) =>
      oneCall(conversation, round, attempt),
    )
    history.push(result)
    const next = nextCall(history, step.role)
    await noteCall(context, conversation, { call, next })
    if (next.type === 'done')
      return { type: 'answered', result: next.result, privateName: privateNameOf(key, opening) }
    if (next.type === 'give_up') return failedBy(next)
    problem = next.type === 'repair' ? next.problem : undefined
    if (next.type === 'retry' && next.afterMs > 0) {
      const now = await context.now(`${key}/call/${call}/now`)
      await context.sleep(`${key}/call/${call}/wait`, now + next.afterMs)
    }
  }
}

function failedBy({ label, reason, gate }: NextCall & { type: 'give_up' }): Failed {
  return { type: 'failed', label, reason, ...(gate ? { gate } : {}) }
}

async function noteCall(
  context: DurableContext,
  { request }: Conversation,
  { call, next }: { readonly call: number; readonly next: NextCall },
): Promise<void> {
  const { key, step } = request
  const fact = factOf(next)
  const data = { step: step.id, call, ...fact.data }
  await context.record(`${key}/call/${call}/noted`, { type: fact.type, role: step.role.title, data })
}

function factOf(next: NextCall): { readonly type: EventType; readonly data: JsonObject } {
  switch (next.type) {
    case 'done':
      return { type: 'answer.accepted', data: next.result.repaired ? { repaired: true } : {} }
    case 'repair':
      return { type: 'answer.refused', data: { problem: next.problem } }
    case 'retry':
      return {
        type: 'agent.retried',
        data: { error: next.error, detail: next.detail, after_ms: next.afterMs },
      }
    case 'give_up':
      return { type: 'answer.refused', data: { problem: next.reason, final: true } }
  }
}
