import type { DurableContext } from '../model/durable.ts'
import type { EventType } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateReport } from '../model/step-result.ts'
import { emptyTally, addUsage } from '../model/usage.ts'
import type { Tally } from '../model/usage.ts'
import { nextCall } from './next-call.ts'
import type { CallResult, NextCall } from './next-call.ts'
import type { Conversation, Round } from './conversation.ts'
import { oneCall } from './one-call.ts'
import { privateNameOf } from './own-side.ts'
import { passQuota } from './pass-quota.ts'
import type { Passed } from './pass-quota.ts'

export type Conversed =
  | {
      readonly type: 'answered'
      readonly result: CallResult & { type: 'answered' }
      readonly privateName: string
      readonly spent: Tally
    }
  | Failed

export type Failed = {
  readonly type: 'failed'
  readonly label: string
  readonly reason: string
  readonly gate?: GateReport
  readonly spent: Tally
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
      return {
        ...{ type: 'answered', result: next.result, spent: spentIn(history) },
        privateName: privateNameOf(key, opening),
      }
    if (next.type === 'give_up') return failedBy(next, spentIn(history))
    problem = next.type === 'repair' ? next.problem : undefined
    if (next.type === 'quota') await aroundQuota(context, conversation, { call, next })
    if (next.type === 'retry' && next.afterMs > 0) {
      const now = await context.now(`${key}/call/${call}/now`)
      await context.sleep(`${key}/call/${call}/wait`, now + next.afterMs)
    }
  }
}

function failedBy({ label, reason, gate }: NextCall & { type: 'give_up' }, spent: Tally): Failed {
  return { type: 'failed', label, reason, spent, ...(gate ? { gate } : {}) }
}

/** A call that failed without a word about it may have used nothing: it is shown as unknown, but stops no run. */
function spentIn(history: readonly CallResult[]): Tally {
  return history
    .filter(({ type, usage }) => type !== 'error' || usage !== undefined)
    .reduce((tally, { usage = {} }) => addUsage(tally, usage), emptyTally)
}

interface Numbered<T extends NextCall['type']> {
  readonly call: number
  readonly next: NextCall & { readonly type: T }
}

/** A time that the provider has named holds for the rest of the run, in whatever process it goes on. */
async function aroundQuota(
  context: DurableContext,
  conversation: Conversation,
  { call, next }: Numbered<'quota'>,
): Promise<void> {
  const { key, step } = conversation.request
  const { provider, detail, resetsAt } = next
  const { quotas } = conversation.site
  if (resetsAt !== undefined) quotas.set(provider, Math.max(resetsAt, quotas.get(provider) ?? 0))
  const passed = await context.step<Passed>(`${key}/call/${call}/quota`, (attempt) =>
    passQuota(conversation, detail, attempt),
  )
  const data = { step: step.id, call, error: 'quota', detail: passed.player, after_ms: passed.waited_ms }
  await context.record(`${key}/call/${call}/passed`, { type: 'agent.retried', role: step.role.title, data })
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
    case 'quota': {
      const { provider, detail, resetsAt } = next
      const time = resetsAt === undefined ? {} : { resets_at: new Date(resetsAt).toISOString() }
      return { type: 'provider.exhausted', data: { provider, detail, ...time } }
    }
    case 'give_up':
      return { type: 'answer.refused', data: { problem: next.reason, final: true } }
  }
}
