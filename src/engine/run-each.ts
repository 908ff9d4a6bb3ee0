import { engineEvent } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Feedback, StepResult } from '../model/step-result.ts'
import type { EachStep } from '../model/workflow.ts'
import { expandValue } from '../model/template.ts'
import { evenDeadline } from './budget.ts'
import { countIn, listIn, plainResult, valuesIn } from './frame.ts'
import type { Frame, RunList } from './frame.ts'
import { chooseRoute } from './choose-route.ts'
import { openLedger } from './ledger.ts'
import { orderItems } from './order-items.ts'
import type { Item } from './order-items.ts'
import { endMoments, speak } from './speak.ts'

export interface EachVisit {
  readonly step: EachStep
  readonly key: string
}

/** The steps of an `each`, once for every item: fix cycles first, attempts second, routes of the `each` last. */
export async function runEach(frame: Frame, { step, key }: EachVisit, runList: RunList): Promise<StepResult> {
  const list = listIn(frame, step.list)
  if (!list) return plainResult('failed', { reason: `'${step.list}' is not a list` })
  const ordered = orderItems(list, onlyOf(frame, step))
  if (ordered.type === 'refused') return plainResult('revise', { label: 'items', reason: ordered.reason })
  const bad = new Set<string>()
  const at = (item: Item) => `${key}/${item.id}`
  for (const [index, item] of ordered.items.entries()) {
    const left = ordered.items.length - index
    const result = item.dependsOn.some((id) => bad.has(id))
      ? plainResult('blocked', { label: 'continue', reason: 'an item that it depends on failed' })
      : await runItem(await boxed(frame, step, { key: at(item), left }), {
          step,
          item,
          runList,
          key: at(item),
        })
    await noteItem(frame, { step, item, result, key: at(item) })
    if (result.outcome === 'ok') continue
    bad.add(item.id)
    if (result.label !== 'continue') return result
  }
  return plainResult('ok', { facts: { count: ordered.items.length, failed_items: [...bad] } })
}

function onlyOf(frame: Frame, step: EachStep): readonly string[] {
  if (step.only === undefined) return []
  const only = expandValue(step.only, valuesIn(frame))
  return Array.isArray(only) ? only.map((id: Json) => textOf(id)) : []
}

async function boxed(frame: Frame, step: EachStep, at: { key: string; left: number }): Promise<Frame> {
  if (step.budget?.time !== 'even' || frame.deadline === undefined) return frame
  const now = await frame.context.now(`${at.key}/now`)
  const deadline = evenDeadline({ now, deadline: frame.deadline }, at.left)
  return deadline === undefined ? frame : { ...frame, deadline }
}

interface ItemRun {
  readonly step: EachStep
  readonly item: Item
  readonly runList: RunList
  readonly key: string
}

/** One pass through the steps is an attempt; a pass that does not end ok starts the next with its reasons. */
async function runItem(frame: Frame, run: ItemRun): Promise<StepResult> {
  const { step, item, runList, key } = run
  const prefix = `${key}/`
  await frame.context.record(`${key}/started`, engineEvent('item.started', { step: step.id, item: item.id }))
  let feedback: readonly Feedback[] = frame.feedback
  let result = plainResult('failed', { reason: 'no attempt was made' })
  const attempts = Math.max(1, countIn(frame, step.attempts))
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const ledger = openLedger(frame.ledger)
    const values = { ...frame.values, item: item.value, attempt }
    const end = await runList({ ...frame, prefix, ledger, values, feedback }, { steps: step.steps })
    result = end.result
    if (result.outcome === 'ok' || result.label === 'continue') return result
    feedback = [{ from: end.step, text: result.reason ?? reasonsOf(result), paths: result.writes }]
  }
  return afterAttempts(frame, run, { result, feedback })
}

function reasonsOf(result: StepResult): string {
  return result.gates
    .filter(({ met }) => !met)
    .map(({ gate, facts }) => `${gate}: ${facts}`)
    .join('\n')
}

async function afterAttempts(
  frame: Frame,
  { step, item, runList, key }: ItemRun,
  last: { readonly result: StepResult; readonly feedback: readonly Feedback[] },
): Promise<StepResult> {
  const { result, feedback } = last
  const limitOf = (limit: number | string) => countIn(frame, limit)
  const ledger = openLedger(frame.ledger)
  const question = { steps: [step], step, result, ledger, depth: frame.depth, limitOf }
  const move = chooseRoute(question)
  if (move.type === 'continue') return { ...result, label: 'continue' }
  if (move.type !== 'call') return result
  ledger.counts.set(move.taken.key, move.taken.count)
  const prefix = `${key}/${move.fragment}/`
  const values = { ...frame.values, item: item.value }
  const inner = {
    ...frame,
    prefix,
    values,
    depth: frame.depth + 1,
    ledger: openLedger(frame.ledger),
    feedback,
  }
  const end = await runList(inner, { steps: frame.workflow.fragments[move.fragment] ?? [] })
  if (end.result.outcome === 'ok') return end.result
  const again = chooseRoute({ ...question, result: end.result })
  return again.type === 'continue' ? { ...end.result, label: 'continue' } : end.result
}

async function noteItem(frame: Frame, at: Omit<ItemRun, 'runList'> & { result: StepResult }): Promise<void> {
  const { step, item, result, key } = at
  const data = { step: step.id, item: item.id, outcome: result.outcome, ...reasoned(result) }
  await frame.context.record(`${key}/finished`, engineEvent('item.finished', data))
  const values = valuesIn(frame, { item: item.value, reason: result.reason ?? '' })
  const names = endMoments(undefined, result.outcome)
  await speak(frame.context, step, { names, key, speaker: 'ORCHESTRATOR', values })
}

function reasoned(result: StepResult): { reason?: string } {
  return result.reason === undefined ? {} : { reason: result.reason }
}
