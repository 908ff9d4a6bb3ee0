import { parseDuration } from './duration.ts'
import { ofType, ownType } from './event.ts'
import type { JournalLine } from './event.ts'
import { isJsonObject, textOf } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { mostEvents, nothingOf } from './plan-facts.ts'
import type { GoalFacts, ItemFacts, PlanFacts } from './plan-facts.ts'
import { standingLines } from './undone.ts'
import { openSpending, spendingOf } from './usage.ts'
import type { Step, Workflow } from './workflow.ts'

/** What a run has come to, from its journal and nothing else: plans with their items, counts, what everybody said last. */
export function foldPlan(lines: readonly JournalLine[], workflow: Workflow): GoalFacts {
  const plan = openPlanFold(workflow)
  for (const line of standingLines(lines)) plan.add(line)
  return Object.assign(plan.facts(), { spending: spendingOf(lines) })
}

/** The same, line by line, of a journal in which nothing was undone. The facts are asked for once, at the end. */
export function openPlanFold(workflow: Workflow): { add(line: JournalLine): void; facts(): GoalFacts } {
  const spending = openSpending()
  const fold: Fold = {
    ...{ facts: nothingOf(), items: new Map(), plans: new Map(), began: new Map() },
    steps: stepsOf(workflow),
    judge: workflow.supervision?.role ?? '',
  }
  return {
    add(line) {
      if (ownType(line.type) !== undefined) noteEvent(fold, line)
      ofType(folds, line.type)?.(fold, line)
      spending.add(line)
    },
    facts: () => Object.assign(fold.facts, { spending: spending.rows() }),
  }
}

interface Fold {
  readonly facts: GoalFacts
  readonly items: Map<string, ItemFacts>
  readonly plans: Map<string, PlanFacts>
  /** When visits of steps with a phase began. */
  readonly began: Map<string, number>
  readonly steps: ReadonlyMap<string, Step>
  readonly judge: string
}

function stepsOf({ steps, fragments }: Workflow): Map<string, Step> {
  const all = [steps, ...Object.values(fragments)].flat()
  const inner = all.flatMap((step) => (step.type === 'each' ? step.steps : []))
  return new Map([...inner, ...all].map((step) => [step.id, step]))
}

const folds: Readonly<Partial<Record<JournalLine['type'], (fold: Fold, line: JournalLine) => void>>> = {
  'run.started': ({ facts }, { data, ts }) => {
    facts.run = textOf(data['run'])
    facts.startedAt = Date.parse(ts)
    facts.inputs = objectOf(data['inputs'])
    facts.timeLimitMs = parseDuration(textOf(facts.inputs['time_limit']))
  },
  'branch.created': ({ facts }, { data }) => {
    facts.branch = textOf(data['branch'])
    facts.base = textOf(data['base'])
  },
  'run.resumed': ({ facts }, { data }) => {
    Object.assign(facts, { end: '', outcome: '', reason: '', endedAt: undefined })
    if (typeof data['time_limit_ms'] === 'number') facts.timeLimitMs = data['time_limit_ms']
  },
  'run.finished': ({ facts }, { data, ts }) => {
    facts.outcome = textOf(data['outcome'])
    facts.end = textOf(data['label']) || facts.outcome
    facts.reason = textOf(data['reason'])
    facts.endedAt = Date.parse(ts)
  },
  'step.started': (fold, { data, role, ts }) => {
    const step = textOf(data['step'])
    fold.facts.currentStep = step
    fold.facts.currentRole =
      roleOf(fold, step) ?? (fold.steps.get(step)?.type === 'verify' ? fold.judge : role)
    count(fold, step)
    fold.began.set(visitOf(data), Date.parse(ts))
  },
  'step.finished': (fold, { data, ts }) => {
    const phase = fold.steps.get(textOf(data['step']))?.phase
    const key = visitOf(data)
    const plan = fold.plans.get(key)
    if (plan) plan.isOver = true
    const role = roleOf(fold, textOf(data['step']))
    if (role !== undefined && data['outcome'] === 'failed') partOf(fold, role).failures += 1
    if (phase === undefined) return
    const took = Date.parse(ts) - (fold.began.get(key) ?? Date.parse(ts))
    fold.facts.phases.set(phase, (fold.facts.phases.get(phase) ?? 0) + took)
  },
  'list.started': startList,
  'item.started': (fold, { data }) => changeItem(fold, data, (item) => (item.isStarted = true)),
  'attempt.started': (fold, { data }) =>
    changeItem(fold, data, (item) => (item.attempts = Number(data['attempt'] ?? 1))),
  'item.finished': (fold, { data }) => {
    count(fold, `items.${textOf(data['outcome'])}`)
    changeItem(fold, data, (item) => {
      item.outcome = textOf(data['outcome'])
      item.reason = textOf(data['reason'])
      item.isUnverified = data['unverified'] === true
    })
  },
  'gate.judged': (fold, { data }) => {
    const verdict = textOf(data['verdict'])
    count(fold, `judged.${verdict}`)
    const score = typeof data['score'] === 'number' ? data['score'] : undefined
    const gate = textOf(data['gate'])
    const item = itemAround(fold, textOf(data['key']))
    if (item) item.scores.set(gate, { verdict, score })
    else keepBounded(fold.facts.judged, { gate, verdict, score })
  },
  'route.taken': (fold, { data }) => {
    count(fold, `${textOf(data['from'])}.${textOf(data['by'])}`)
    if (data['degraded'] === true)
      fold.facts.degraded.push({ step: textOf(data['from']), key: textOf(data['key']) })
  },
  checkpoint: (fold, { data }) => {
    const [, visit, gate] = /^(.*#\d+)(?:\/judge\/([^/]+))?\/call\/\d+$/.exec(textOf(data['key'])) ?? []
    const value = data['value']
    if (visit === undefined || !isJsonObject(value) || !isJsonObject(value['answer'])) return
    keepAnswer(fold, { visit, isJudgement: gate !== undefined, answer: value['answer'] })
  },
}

function noteEvent({ facts }: Fold, { ts, type, role, data }: JournalLine): void {
  const { key, ...rest } = data
  keepBounded(facts.events, { id: textOf(key), ts, type, role, data: rest })
}

function keepBounded<T>(list: T[], one: T): void {
  list.push(one)
  if (list.length > mostEvents) list.shift()
}

function startList(fold: Fold, { data }: JournalLine): void {
  const id = textOf(data['key']).replace(/\/list$/, '')
  const parent = itemAround(fold, id)
  const items = Array.isArray(data['items']) ? data['items'] : []
  const plan: PlanFacts = {
    ...{ id, step: textOf(data['step']), depth: Number(data['depth'] ?? 0), parentItem: parent?.key ?? '' },
    ...{ about: objectOf(data['about']), maxAttempts: data['attempts'] ?? 1 },
    items: items.map((item: Json) => itemFacts(id, objectOf(item))),
    isOver: false,
  }
  fold.plans.set(id, plan)
  ;(parent?.plans ?? fold.facts.plans).push(plan)
  count(fold, 'items', plan.items.length)
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function itemFacts(plan: string, item: JsonObject): ItemFacts {
  const id = textOf(item['id'])
  return {
    ...{ key: `${plan}/${id}`, id, value: item['value'] ?? {}, outcome: '', isStarted: false, attempts: 0 },
    dependsOn: Array.isArray(item['depends_on']) ? item['depends_on'].map((one: Json) => textOf(one)) : [],
    ...{ reason: '', isUnverified: false, answers: new Map(), scores: new Map(), plans: [] },
  }
}

/** By the key of the event, in which an id may be spelled otherwise. */
function changeItem(fold: Fold, data: JsonObject, change: (item: ItemFacts) => void): void {
  const key = textOf(data['key']).replace(/\/(?:started|finished|attempt\/\d+)$/, '')
  const plan = fold.plans.get(key.slice(0, key.lastIndexOf('/')))
  const item = plan?.items.find(({ id }) => id === textOf(data['item']))
  if (!item) return
  fold.items.set(key, item)
  change(item)
}

/** The innermost item that a key lies in. */
function itemAround({ items }: Fold, key: string): ItemFacts | undefined {
  for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
    const item = items.get(key.slice(0, at))
    if (item) return item
  }
  return undefined
}

function keepAnswer(
  fold: Fold,
  { visit, isJudgement, answer }: { visit: string; isJudgement: boolean; answer: JsonObject },
): void {
  const step = visit.slice(visit.lastIndexOf('/') + 1).replace(/#\d+$/, '')
  const part = partOf(fold, isJudgement ? fold.judge : (roleOf(fold, step) ?? ''))
  part.last = answer
  part.answers += 1
  // Beside an agent's answer its judgement is one more; of a `verify` step it is the answer.
  if (isJudgement && fold.steps.get(step)?.type !== 'verify') return
  itemAround(fold, visit)?.answers.set(step, answer)
}

function partOf(
  { facts }: Fold,
  role: string,
): { last: JsonObject | undefined; answers: number; failures: number } {
  const known = facts.roles.get(role) ?? { last: undefined, answers: 0, failures: 0 }
  facts.roles.set(role, known)
  return known
}

function roleOf({ steps }: Fold, id: string): string | undefined {
  const step = steps.get(id)
  return step?.type === 'agent' ? step.role.name : undefined
}

function count({ facts }: Fold, name: string, by = 1): void {
  facts.counts.set(name, (facts.counts.get(name) ?? 0) + by)
}

function visitOf(data: JsonObject): string {
  return textOf(data['key']).replace(/\/(?:started|finished)$/, '')
}
