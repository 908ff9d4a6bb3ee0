import { engineEvent } from '../model/event.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Item } from '../model/order-items.ts'
import type { StepResult } from '../model/step-result.ts'
import { lookUp } from '../model/template.ts'
import type { EachStep } from '../model/workflow.ts'
import { valuesIn } from './frame.ts'
import type { Frame } from './frame.ts'
import { endMoments, speak } from './speak.ts'
import { EscalatedError } from './supervise.ts'

export interface ItemAt {
  readonly step: EachStep
  readonly item: Item
  readonly key: string
}

/** The list as it is gone through, in order, with what stands beside it in the answer that it comes from. */
export async function noteList(
  frame: Frame,
  list: { readonly step: EachStep; readonly key: string; readonly items: readonly Item[] },
): Promise<void> {
  const { step, key, items } = list
  await frame.context.record(`${key}/list`, () =>
    engineEvent('list.started', {
      ...{ step: step.id, list: step.list, depth: frame.depth, attempts: step.attempts },
      items: items.map(({ id, dependsOn, value }) => ({
        id,
        depends_on: [...dependsOn],
        value: fitting(value),
      })),
      about: aboutOf(frame, step),
    }),
  )
}

/** A line of the journal is short: what is long stands in the answer itself. */
const mostText = 2000

function fitting(value: Json): Json {
  if (typeof value === 'string') return value.slice(0, mostText)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      typeof part === 'string' ? part.slice(0, mostText) : part,
    ]),
  )
}

/** Of `plan.steps`: what else the answer of `plan` says, in short. */
function aboutOf(frame: Frame, { list }: EachStep): JsonObject {
  const path = list.replaceAll(/^\{|\}$/g, '').split('.')
  const around = lookUp(path.slice(0, -1).join('.'), valuesIn(frame))
  if (path.length < 2 || !isJsonObject(around)) return {}
  const texts = Object.entries(around).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(texts.map(([name, value]) => [name, fitting(value)]))
}

export async function noteStart(frame: Frame, { step, item, key }: ItemAt): Promise<void> {
  await frame.context.record(`${key}/started`, () =>
    engineEvent('item.started', { step: step.id, item: item.id }),
  )
  const values = () => valuesIn(frame, { item: item.value })
  await speak(frame.context, step, { names: ['start'], key, speaker: 'ORCHESTRATOR', values })
}

export async function noteAttempt(frame: Frame, { step, item, key }: ItemAt, attempt: number): Promise<void> {
  await frame.context.record(`${key}/attempt/${attempt}`, () =>
    engineEvent('attempt.started', { step: step.id, item: item.id, attempt }),
  )
}

export async function noteItem(frame: Frame, at: ItemAt & { readonly result: StepResult }): Promise<void> {
  const { step, item, result, key } = at
  const { outcome } = result
  await frame.context.record(`${key}/finished`, () =>
    engineEvent('item.finished', { step: step.id, item: item.id, outcome, ...more(result) }),
  )
  const values = () => valuesIn(frame, { item: item.value, reason: result.reason ?? '' })
  const names = endMoments(undefined, result.outcome)
  await speak(frame.context, step, { names, key, speaker: 'ORCHESTRATOR', values })
}

function more({ reason, facts }: StepResult): JsonObject {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(facts['unverified'] === true ? { unverified: true } : {}),
  }
}

/** An item under way when a level leads elsewhere ends failed. */
export function brokenOff(frame: Frame, at: ItemAt): (error: unknown) => Promise<never> {
  return async (error) => {
    if (error instanceof EscalatedError) {
      const data = { step: at.step.id, item: at.item.id, outcome: 'failed', reason: error.message }
      await frame.context.record(`${at.key}/finished`, engineEvent('item.finished', data))
    }
    throw error
  }
}

/** Keeps count of the items of the outermost list: what gates and levels are told of the run. */
export function watchItems(frame: Frame, items: readonly Item[]): (item: Item, result: StepResult) => void {
  if (frame.depth > 0 || frame.since !== undefined) return () => undefined
  const { watch } = frame
  watch.items = { total: items.length, ok: 0, failed: [], needed: [] }
  watch.failedSeen = 0
  return ({ id }, { outcome }) => {
    const { total, ok, failed, needed } = watch.items
    if (outcome === 'ok') {
      watch.items = { total, ok: ok + 1, failed, needed }
      return
    }
    const isNeeded = items.some(({ dependsOn }) => dependsOn.includes(id))
    watch.items = { total, ok, failed: [...failed, id], needed: isNeeded ? [...needed, id] : needed }
  }
}
