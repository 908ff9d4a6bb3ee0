// The supervised workflow, as it is shipped, with scripted answers on a journal in memory: real engine, real gates.
import { loadOptions } from '../../src/cli/workbench.ts'
import { layersFor } from '../../src/config/layers.ts'
import { loadWorkflow } from '../../src/config/load-workflow.ts'
import { runWorkflow } from '../../src/engine/run-workflow.ts'
import type { RunEnd } from '../../src/engine/run-workflow.ts'
import { nothingCollected } from '../../src/gates/gate.ts'
import { branchGates, judgeGates, namedGates } from '../../src/gates/judge-gates.ts'
import { SuspendedError, TimeUsedUpError } from '../../src/model/durable.ts'
import type { Question } from '../../src/model/durable.ts'
import { ownType } from '../../src/model/event.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { isJsonObject, textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { SpendingLimits } from '../../src/model/spending.ts'
import type {
  Agreed,
  GateReport,
  Performer,
  RunPlace,
  StepRequest,
  StepResult,
} from '../../src/model/step-result.ts'
import { addUsage, emptyTally } from '../../src/model/usage.ts'
import type { Workflow } from '../../src/model/workflow.ts'
import { conclude } from '../../src/steps/conclude.ts'
import { verdictOf } from '../../src/steps/validate-answer.ts'
import { memoryRun } from './memory-journal.ts'
import type { MemoryRun } from './memory-journal.ts'

/** As it is shipped. */
export async function loadedSupervised(
  casting: { readonly providerOverride?: string } = { providerOverride: 'scripted' },
): Promise<Workflow> {
  const layers = layersFor({ env: {} })
  return (await loadWorkflow('supervised', { ...loadOptions(layers, { providers: {} }), ...casting }))
    .workflow
}

/** A score for a judgement, a verdict word, `crash`, or a whole answer. */
type Reply = number | string | JsonObject

/**
 * What is answered, by who is asked: a step (`code`), a step for one item (`S1/code`), a judgement of a gate (`judge code`,
 * `judge S1/code`), the engine's own tests (`tests` and, on a clean checkout, `clean`: pass or fail), and the paths that a coder
 * has `changed`. The first asked gets the first; the last one stays.
 */
export type Replies = Readonly<Record<string, readonly Reply[]>>

interface GoalWorld {
  readonly replies: Replies
  /** How long a step takes, in milliseconds, by the same names. Nothing takes any time otherwise. */
  readonly takes?: Readonly<Record<string, number>>
  readonly asked: Map<string, number>
  /** What each agent costs, in dollars. Nothing is said of it otherwise. */
  readonly costs?: number
  /** Who is asked gets what the key of the request says, so that a run that was cut off goes on as it would have. */
  readonly byKey?: boolean
  readonly requests: StepRequest[]
  now: number
  /** Of the request that is answered. */
  key: string
}

export function goalWorld(replies: Replies = {}, takes: Readonly<Record<string, number>> = {}): GoalWorld {
  return { replies, takes, asked: new Map(), requests: [], now: 0, key: '' }
}

export interface PlayedGoal {
  readonly end?: RunEnd
  readonly waiting?: Question
  readonly run: MemoryRun
  readonly lines: readonly JournalLine[]
  readonly world: GoalWorld
}

interface GoalRun {
  readonly world?: GoalWorld
  readonly values?: JsonObject
  readonly timeLimitMs?: number
  readonly run?: MemoryRun
  readonly workflow?: Workflow
  readonly limits?: SpendingLimits
}

export async function playGoal(goal: GoalRun = {}): Promise<PlayedGoal> {
  const { world = goalWorld(), run = memoryRun() } = goal
  const workflow = goal.workflow ?? (await loadedSupervised())
  const clock = {
    now: () => new Date(world.now),
    sleep: async (ms: number) => {
      world.now += ms
    },
  }
  const values = { ...defaults(workflow), goal: 'It adds numbers', task: 'It adds numbers', ...goal.values }
  const given = openRun(run, { world, values, timeLimitMs: goal.timeLimitMs })
  const played = { run, lines: run.lines, world }
  const { limits = {} } = goal
  const input = { workflow, performer: performerOf(world), values, mode: 'goal', limits, ...given }
  try {
    return { ...played, end: await runWorkflow(run.open({ clock }), input) }
  } catch (error) {
    if (!(error instanceof SuspendedError)) throw error
    return { ...played, waiting: error.question }
  }
}

/** The first line of a process, as the program writes it. */
function openRun(
  { lines }: MemoryRun,
  begun: { readonly world: GoalWorld; readonly values: JsonObject; readonly timeLimitMs: number | undefined },
): { timeLimitMs?: number; resumedAt?: number } {
  const { world, values, timeLimitMs } = begun
  const opened = { ts: new Date(world.now).toISOString(), role: 'ENGINE' }
  const limit = timeLimitMs === undefined ? {} : { timeLimitMs }
  if (lines.length === 0) {
    lines.push({ ...opened, type: 'run.started', data: { run: '1', inputs: values } })
    return limit
  }
  lines.push({
    ...opened,
    type: 'run.resumed',
    data: timeLimitMs === undefined ? {} : { time_limit_ms: timeLimitMs },
  })
  return { ...limit, resumedAt: world.now }
}

function defaults({ inputs }: Workflow): JsonObject {
  return Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, spec.default ?? '']))
}

const place: RunPlace = {
  ...{ branch: 'task/1-demo', worktree: '/worktree', base: 'main' },
  ...{ baseCommit: 'b'.repeat(40), start: 's'.repeat(40) },
}

type Called = { readonly result: StepResult; readonly answer: JsonObject | '' }

function performerOf(world: GoalWorld): Performer {
  return {
    begin: (context) => context.step<RunPlace>('begin', async () => place),
    perform: (context, request) =>
      // As the real one keeps an answer, so that what is folded from journals finds it.
      context
        .step<Called>(`${request.key}/call/1`, async () => {
          const result = { ...performed(world, request), ...spentOn(world, request) }
          return { result, answer: result.answer ?? '' }
        })
        .then(({ result }) => result),
    recheck: (context, { step, key, values, agreed }) =>
      context.step<GateReport[]>(`${key}/gates`, async () => {
        world.key = key
        return judgeGates(branchGates(step.gates), factsOf(world, { agreed, item: itemOf(values) }))
      }),
  }
}

function spentOn({ costs }: GoalWorld, { step }: StepRequest): Pick<StepResult, 'spent'> {
  return costs === undefined || step.type !== 'agent' ? {} : { spent: addUsage(emptyTally, { cost: costs }) }
}

function performed(world: GoalWorld, request: StepRequest): StepResult {
  world.requests.push(request)
  world.key = request.key
  const { step, values } = request
  const item = itemOf(values)
  const name =
    step.type === 'agent' && step.id === step.role.name ? `judge ${textOf(values['gate'])}` : step.id
  const late = spend(world, request, namesFor(name, item))
  if (late) return late
  const commit = `${request.key.length % 10}`.padStart(40, 'c')
  if (step.type !== 'agent') return checked(world, item, commit)
  if (name === 'code') next(world, namesFor('changed', item))
  const reply = next(world, namesFor(name, item)) ?? usual(name, item)
  if (reply === 'crash') {
    return {
      outcome: 'failed',
      label: 'crash',
      reason: 'the agent crashed (3 times)',
      writes: [],
      gates: [],
      facts: {},
      commit,
    }
  }
  const answer = answerOf(name, reply)
  const verdict = verdictOf(step.role, answer)
  const facts = { ...factsOf(world, { agreed: request.agreed, item }), answer }
  const reports = verdict.outcome === 'ok' ? judgeGates(namedGates(step.gates), facts) : []
  const work = {
    type: 'kept' as const,
    tip: commit,
    tree: commit,
    commits: [],
    commit: '',
    writes: [],
    backlog: [],
  }
  return conclude(step, { answer, verdict, work, reports })
}

/** As the real performer does: what does not fit into the time of the step ends there. */
function spend(world: GoalWorld, request: StepRequest, names: readonly string[]): StepResult | undefined {
  const takes = names.map((name) => world.takes?.[name]).find((ms) => ms !== undefined) ?? 0
  const { deadline, runDeadline } = request
  if (deadline === undefined || world.now + takes < deadline) {
    world.now += takes
    return undefined
  }
  world.now = deadline
  if (runDeadline !== undefined && world.now >= runDeadline) throw new TimeUsedUpError()
  const reason = 'the time for this step is used up'
  return { outcome: 'failed', label: 'time', reason, writes: [], gates: [], facts: {} }
}

function checked(world: GoalWorld, item: string, commit: string): StepResult {
  const passed = testsPass(world, item)
  const common = { writes: [], gates: [], facts: { exit_code: passed ? 0 : 1 }, commit }
  if (passed) return { ...common, outcome: 'ok', label: 'pass' }
  return { ...common, outcome: 'revise', label: 'fail', reason: "'npm test' ended with exit code 1" }
}

/** The tests stay as they are until somebody has coded: only the check step takes the next entry. */
function testsPass(world: GoalWorld, item: string): boolean {
  return (next(world, namesFor('tests', item)) ?? 'pass') === 'pass'
}

function factsOf(world: GoalWorld, { agreed, item }: { agreed: Agreed; item: string }) {
  const exitCode = last(world, namesFor('tests', item)) === 'fail' ? 1 : 0
  const tests = { type: 'ran' as const, command: 'npm test', exitCode, log: '', tail: '' }
  const cleanTests = { ...tests, exitCode: last(world, ['clean']) === 'fail' ? 1 : 0 }
  const since = (last(world, namesFor('changed', item)) ?? 'src/sum.js test/sum.test.js') as string
  return {
    ...nothingCollected,
    ...{ tests, cleanTests, since: since.split(' ').filter((path) => path !== '') },
    ...(agreed.items ? { items: agreed.items } : {}),
    evidence: agreed.evidence ?? [],
  }
}

function namesFor(name: string, item: string): string[] {
  const [verb, gate] = name.split(' ')
  const own = gate === undefined ? `${item}/${name}` : `${verb} ${item}/${gate}`
  return item === '' ? [name] : [own, name]
}

function next(world: GoalWorld, names: readonly string[]): Reply | undefined {
  const name = names.find((one) => one in world.replies)
  if (name === undefined) return undefined
  if (world.byKey === true) return byKey(world, name)
  const count = (world.asked.get(name) ?? 0) + 1
  world.asked.set(name, count)
  return at(world.replies[name], count)
}

function last(world: GoalWorld, names: readonly string[]): Reply | undefined {
  const name = names.find((one) => one in world.replies)
  if (name !== undefined && world.byKey === true) return byKey(world, name)
  return name === undefined ? undefined : at(world.replies[name], Math.max(1, world.asked.get(name) ?? 0))
}

function byKey({ replies, key }: GoalWorld, name: string): Reply | undefined {
  const list = replies[name] ?? []
  let hash = 7
  for (const character of `${name} ${key}`) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return list[hash % Math.max(1, list.length)]
}

function at(replies: readonly Reply[] | undefined, count: number): Reply | undefined {
  return replies?.[Math.min(count, replies.length) - 1]
}

export function planStep(id: string, more: JsonObject = {}): JsonObject {
  return {
    id,
    description: `do ${id}`,
    complexity: 'simple',
    kind: 'code',
    acceptance: `${id} works`,
    ...more,
  }
}

export function planOf(...steps: JsonObject[]): JsonObject {
  return { goal: 'It adds numbers', analysis: 'Nothing is there yet.', steps }
}

function usual(name: string, item: string): Reply {
  if (name.startsWith('judge ')) return 90
  if (name === 'plan') return planOf(planStep('S1'), planStep('S2', { dependsOn: ['S1'] }))
  if (name === 'replan') return planOf(planStep(`${item}a`))
  return name === 'explore' ? 'PASS' : 'done'
}

function answerOf(name: string, reply: Reply): JsonObject {
  if (isJsonObject(reply)) return reply
  if (typeof reply === 'number') {
    const feedback = reply < 70 ? { feedback: `only ${reply}`, gaps: ['subtraction is missing'] } : {}
    return { score: reply, verified: true, points: [], ...feedback }
  }
  if (name === 'explore') {
    const plan = reply === 'FIX' ? { fix_plan: [{ change: 'mend it', check: 'npm test' }] } : {}
    return { verdict: reply, coverage: 'good', ...plan }
  }
  return { status: reply, ...(reply === 'blocked' ? { reason: 'too large' } : { evidence: ['src/sum.js'] }) }
}

function itemOf(values: JsonObject): string {
  const item = values['item']
  return isJsonObject(item) ? textOf(item['id']) : ''
}

/** The messages of a run, in order, each with what it is about: the whole of it. */
export function messagesIn(lines: readonly JournalLine[]): string[] {
  return lines
    .filter(({ type }) => ownType(type) !== undefined)
    .map(({ type, data }) => {
      const { item, gate, step, verdict, score, status, level } = data
      const words = [item, gate ?? step, status, verdict, score, level].map((word) => textOf(word))
      return [type, ...words.filter((word) => word !== '')].join(' ')
    })
}
