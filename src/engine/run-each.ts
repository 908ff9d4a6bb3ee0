import type { Instant } from '../model/durable.ts'
import type { JsonObject } from '../model/json.ts'
import type { Feedback, StepResult } from '../model/step-result.ts'
import type { EachStep } from '../model/workflow.ts'
import { evenDeadline } from './budget.ts'
import { countIn, plainResult } from './frame.ts'
import type { Frame, ListEnd, RunList } from './frame.ts'
import { chooseRoute, resetCalls } from './choose-route.ts'
import { feedbackOf } from './hand-over.ts'
import { openLedger, setCount } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { listItems } from './list-items.ts'
import type { ListFile } from './list-items.ts'
import { brokenOff, noteAttempt, noteItem, noteList, noteStart, watchItems } from './note-items.ts'
import type { Item } from '../model/order-items.ts'

export interface EachVisit {
  readonly step: EachStep
  readonly key: string
}

/** The steps of an `each`, once for every item: fix cycles first, attempts second, routes of the `each` last. */
export async function runEach(frame: Frame, { step, key }: EachVisit, runList: RunList): Promise<StepResult> {
  const list = await listItems(frame, step, key)
  if (list.type === 'refused')
    return plainResult(list.outcome, {
      ...(list.outcome === 'revise' ? { label: 'items' } : {}),
      reason: list.reason,
    })
  const { items, file } = list
  const watched = watchItems(frame, items)
  await noteList(frame, { step, key, items })
  const bad = new Set<string>()
  const done: string[] = []
  // Both names are there before they are given: adding them for every item takes longer than all the rest.
  const values = { ...frame.values, item: '', attempt: 0 }
  for (const [index, item] of items.entries()) {
    const at = `${key}/${keyPart(item.id)}`
    const isBlocked = item.dependsOn.some((id) => bad.has(id))
    const run = { step, item, runList, key: at, values }
    const end = isBlocked ? blocked : await runBoxed(frame, run, items.length - index)
    if (end.result.outcome === 'ok') done.push(item.id)
    if (file) await markDone(frame, { file, done, key: at })
    await noteItem(frame, { step, item, key: at, result: end.result })
    watched(item, end.result)
    if (end.result.outcome === 'ok') continue
    bad.add(item.id)
    if (!end.goesOn) return end.result
  }
  const left = file ? { left_open: file.open.length - done.length } : {}
  return plainResult('ok', { facts: { count: items.length, failed_items: [...bad], ...left } })
}

interface Marking {
  readonly file: ListFile
  readonly done: readonly string[]
  readonly key: string
}

/** Boxes say what the gates have passed, whatever an agent has made of them. */
async function markDone(frame: Frame, { file, done, key }: Marking): Promise<void> {
  const { context, performer, watch } = frame
  if (!performer.markList) return
  const open = file.open.filter((id) => !done.includes(id))
  const marked = await performer.markList(context, { key: `${key}/marked`, path: file.path, done, open })
  watch.tip = marked.commit
}

/** How an item ended, and whether the list goes on all the same. */
interface ItemEnd {
  readonly result: StepResult
  readonly goesOn: boolean
}

const blocked: ItemEnd = {
  result: plainResult('blocked', { reason: 'an item that it depends on failed' }),
  goesOn: true,
}

const notTried = plainResult('failed', { reason: 'no attempt was made' })

/** An id is an agent's word, but keys become folders: it stays one part of them and leads nowhere else. */
function keyPart(id: string): string {
  return plainPart.test(id)
    ? id
    : id.replaceAll(/[^\w.-]|^\./gu, (character) => `%${character.codePointAt(0)?.toString(16)}%`) || '%'
}

const plainPart = /^[\w-][\w.-]*$/

/** An item that takes long must leave the items after it their share of the time. */
async function runBoxed(frame: Frame, run: ItemRun, left: number): Promise<ItemEnd> {
  const { step, item, key } = run
  // Asked for also without a limit: a run may be resumed with one.
  const now = step.budget?.time === 'even' ? await frame.context.now(`${key}/now`) : undefined
  const inner = now === undefined ? frame : boxed(frame, now, left)
  try {
    return await runItem(inner, run)
  } catch (error) {
    return brokenOff(frame, { step, item, key })(error)
  }
}

function boxed(frame: Frame, now: Instant, left: number): Frame {
  if (frame.deadline === undefined) return frame
  const deadline = evenDeadline({ now, deadline: frame.deadline }, left)
  return deadline === undefined ? frame : { ...frame, deadline, box: { from: now, deadline } }
}

interface ItemRun {
  readonly step: EachStep
  readonly item: Item
  readonly runList: RunList
  readonly key: string
  /** Of the run, with the names of an item, yet to be given. */
  readonly values: JsonObject
}

/** One pass through the steps is an attempt; a pass that does not end ok starts the next with its reasons. */
async function runItem(frame: Frame, run: ItemRun): Promise<ItemEnd> {
  const { step, item, runList, key } = run
  await noteStart(frame, run)
  const { tip: since } = frame.watch
  const place = placeOf(frame, run)
  let feedback = frame.feedback
  let result = notTried
  const attempts = Math.max(1, countIn(frame, step.attempts))
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await noteAttempt(frame, run, attempt)
    const ledger = openLedger(frame.ledger)
    const values = { ...run.values, item: item.value, attempt }
    const inner = { ...frame, prefix: `${key}/`, place, since, ledger, values, feedback }
    const end = await runList(inner, { steps: step.steps })
    result = withFlag(end.result, ledger)
    if (result.outcome === 'ok' || end.continued === true) return { result, goesOn: true }
    feedback = reasonsOf(step, end)
  }
  resetCalls(frame.ledger, step)
  return afterAttempts({ ...frame, since }, run, { result, feedback })
}

/** What rests on the engine's conditions alone, anywhere on its way, is told with the item. */
function withFlag(result: StepResult, { entries }: Ledger): StepResult {
  const isUnverified = entries.some(({ result: { facts } }) => facts['unverified'] === true)
  return isUnverified ? { ...result, facts: { ...result.facts, unverified: true } } : result
}

function placeOf(frame: Frame, { step, item }: ItemRun): string {
  return `${frame.place}${step.id}/${item.id}/`
}

function reasonsOf({ steps }: EachStep, { step: id, result }: ListEnd): Feedback[] {
  const last = steps.find((step) => step.id === id)
  return last ? [feedbackOf(last, result, undefined)] : []
}

/** The routes of the `each`, for one item: it goes on, it gets a sub-plan, or the list ends and its routes are taken. */
async function afterAttempts(
  frame: Frame,
  run: ItemRun,
  last: { readonly result: StepResult; readonly feedback: readonly Feedback[] },
): Promise<ItemEnd> {
  const { step, item, runList, key } = run
  const { result, feedback } = last
  const { ledger, depth, workflow } = frame
  const limitOf = (limit: number | string) => countIn(frame, limit)
  const move = chooseRoute({ steps: [step], step, result, ledger, depth, limitOf })
  if (move.type === 'continue') return { result: { ...result, outcome: 'failed' }, goesOn: true }
  if (move.type !== 'call') return { result, goesOn: false }
  const { fragment, taken } = move
  setCount(ledger, taken.key, taken.count)
  const values = { ...frame.values, item: item.value }
  const inner: Frame = {
    ...{ ...frame, values, feedback, depth: depth + 1, ledger: openLedger(ledger) },
    prefix: `${key}/${fragment}/${taken.count}/`,
    place: `${placeOf(frame, run)}${fragment}/`,
  }
  const end = await runList(inner, { steps: workflow.fragments[fragment] ?? [] })
  if (end.result.outcome === 'ok' || end.continued === true) return { result: end.result, goesOn: true }
  return afterAttempts(frame, run, { result: end.result, feedback })
}
