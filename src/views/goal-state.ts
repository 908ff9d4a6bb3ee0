import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GoalFacts, ItemFacts, PlanFacts } from '../model/plan-facts.ts'
import type { StateSpec } from '../model/supervision.ts'
import type { Workflow } from '../model/workflow.ts'

/** The state of a run in the words of its workflow: what machines that know such runs expect to read. */
export function goalState(facts: GoalFacts, workflow: Workflow): JsonObject {
  const { state = { status: {}, ends: {}, metrics: {}, item: {} } } = workflow
  const stack = planStack(facts.plans)
  const shown = stack.map((plan) => planState(plan, { state, facts, parent: parentOf(facts.plans, plan) }))
  return {
    id: facts.run,
    primaryGoal: textOf(facts.inputs['goal'] ?? facts.inputs['task']),
    status: statusOf(facts, state),
    phase: facts.currentStep,
    currentPlan: shown.at(-1) ?? null,
    planStack: shown.slice(0, -1),
    plans: facts.plans.map((plan) => planState(plan, { state, facts, parent: undefined })),
    currentAgent: facts.currentRole,
    iteration: facts.plans.length,
    startTime: facts.startedAt,
    endTime: facts.endedAt ?? null,
    timeLimit: facts.timeLimitMs ?? null,
    agents: Object.fromEntries(Object.keys(workflow.roles).map((role) => [role, agentState(facts, role)])),
    metrics: metricsOf(facts, state),
    eventLog: facts.events.map(({ id, ts, type, role, data }) => ({
      ...{ id, correlationId: id.replace(/\/(?:emitted|route)\/.*$|\/route\/emitted$/, ''), type, role },
      ...{ timestamp: Date.parse(ts), data },
    })),
  }
}

export function statusOf({ end, outcome, currentStep }: GoalFacts, state: StateSpec): string {
  if (end !== '') return state.ends[end] ?? state.ends[outcome] ?? state.ends['else'] ?? end
  const found = Object.entries(state.status).find(([, steps]) => steps.includes(currentStep))
  return found?.[0] ?? state.start ?? 'running'
}

export function metricsOf({ counts }: GoalFacts, { metrics }: StateSpec): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, counted]) => [
      name,
      counted.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0),
    ]),
  )
}

function agentState(facts: GoalFacts, role: string): JsonObject {
  const part = facts.roles.get(role)
  const isWorking = facts.end === '' && facts.currentRole === role
  return {
    status: isWorking ? 'working' : 'idle',
    lastOutput: part?.last ?? null,
    metrics: { answers: part?.answers ?? 0, failures: part?.failures ?? 0 },
  }
}

/** From the newest plan to the innermost sub-plan that is still under way. */
function planStack(plans: readonly PlanFacts[]): PlanFacts[] {
  const newest = plans.at(-1)
  if (!newest) return []
  const inner = newest.items.flatMap(({ plans: own }) => own).filter(({ isOver }) => !isOver)
  return [newest, ...planStack(inner)]
}

function parentOf(plans: readonly PlanFacts[], wanted: PlanFacts): PlanFacts | undefined {
  for (const plan of plans) {
    const inner = plan.items.flatMap((item) => item.plans)
    const found = inner.includes(wanted) ? plan : parentOf(inner, wanted)
    if (found) return found
  }
  return undefined
}

interface PlanSurroundings {
  readonly state: StateSpec
  readonly facts: GoalFacts
  readonly parent: PlanFacts | undefined
}

function planState(plan: PlanFacts, around: PlanSurroundings): JsonObject {
  const { id, about, items, depth } = plan
  const next = items.findIndex(({ outcome }) => outcome === '')
  return {
    ...{ id, goal: textOf(about['goal']), analysis: textOf(about['analysis']) },
    steps: items.map((item, index) => stepState(item, { ...around, plan, number: index + 1 })),
    ...{ depth, parentPlanId: around.parent?.id ?? null, status: planStatus(plan) },
    currentStepIndex: next === -1 ? Math.max(0, items.length - 1) : next,
  }
}

export function planStatus({ items, isOver }: PlanFacts): string {
  if (items.some(({ outcome }) => outcome !== '' && outcome !== 'ok') && isOver) return 'failed'
  if (isOver || items.every(({ outcome }) => outcome === 'ok')) return 'completed'
  return items.some(({ isStarted }) => isStarted) ? 'in_progress' : 'pending'
}

function stepState(
  item: ItemFacts,
  around: PlanSurroundings & { readonly plan: PlanFacts; readonly number: number },
): JsonObject {
  const { plan, number, state, facts } = around
  const value: JsonObject = isJsonObject(item.value) ? item.value : { description: item.value }
  return {
    ...{ id: item.id, number, description: textOf(value['description']) },
    ...{ complexity: value['complexity'] ?? null, status: stepStatus(item), depth: plan.depth },
    parentStepId: plan.parentItem === '' ? null : plan.parentItem.slice(plan.parentItem.lastIndexOf('/') + 1),
    subSteps: item.plans.flatMap((sub) =>
      sub.items.map((one, index) => stepState(one, { ...around, plan: sub, number: index + 1 })),
    ),
    ...{ attempts: item.attempts, maxAttempts: mostAttempts(plan, facts) },
    ...Object.fromEntries(
      Object.entries(state.item).map(([field, step]) => [field, item.answers.get(step) ?? null]),
    ),
    failReason: stepStatus(item) === 'failed' || stepStatus(item) === 'blocked' ? item.reason : null,
    ...{ dependsOn: item.dependsOn, acceptance: textOf(value['acceptance']), kind: value['kind'] ?? null },
    ...(item.isUnverified ? { unverified: true } : {}),
  }
}

/** As the file has it: a number, or the input that it names. */
function mostAttempts({ maxAttempts }: PlanFacts, { inputs }: GoalFacts): Json {
  const [, name] = /^\{(\w+)\}$/.exec(textOf(maxAttempts)) ?? []
  return name === undefined ? maxAttempts : (inputs[name] ?? maxAttempts)
}

export function stepStatus({ outcome, isStarted }: ItemFacts): string {
  if (outcome === '') return isStarted ? 'in_progress' : 'pending'
  if (outcome === 'ok') return 'completed'
  return outcome === 'blocked' && !isStarted ? 'blocked' : 'failed'
}
