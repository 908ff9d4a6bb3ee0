import { parseDuration } from '../model/duration.ts'
import type { EachStep, Emits, Route, Step, StepCommon, WriteSpec } from '../model/workflow.ts'
import type { RouteFile, StepFile } from '../model/step-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { checkedBy, judgedBy } from './file-gates.ts'
import { defaultWallMs, normalizeRole, writtenRole } from './normalize-role.ts'
import type { Casting } from './normalize-role.ts'
import { defined, mapped } from './records.ts'

export interface StepSurroundings {
  readonly file: WorkflowFile
  readonly casting: Casting
  /** The steps of a list, or of the fragment with that name. */
  readonly stepsOf: (steps: string | readonly StepFile[]) => readonly Step[]
}

export function normalizeStep(step: StepFile, surroundings: StepSurroundings): Step {
  const { file, casting } = surroundings
  const common = commonOf(step, file)
  if (step.agent !== undefined) {
    return {
      ...common,
      type: 'agent',
      role: normalizeRole(step.agent, writtenRole(file, step.agent, step), casting),
    }
  }
  if (step.check !== undefined) return { ...common, type: 'check', ...checkOf(step, file) }
  if (step.do !== undefined) return { ...common, type: 'do', action: step.do }
  if (step.each !== undefined) return { ...common, type: 'each', ...eachOf(step, surroundings) }
  if (step.verify !== undefined) return { ...common, type: 'verify', gate: step.verify }
  if (step.ask !== undefined) return { ...common, type: 'ask', question: step.ask }
  throw new Error(`step '${step.id}' was not checked`)
}

function commonOf(step: StepFile, file: WorkflowFile): StepCommon {
  const { defaults } = file
  const { budget, next, phase } = step
  const judged = judgedBy(file, step)
  return {
    id: step.id,
    when: mapped(step.when, (value) => [value].flat()),
    reads: step.reads ?? [],
    writes: [step.writes ?? []].flat().map(normalizeWrite),
    with: step.with ?? {},
    gates: checkedBy(file, step),
    on: mapped({ ...defaults?.on, ...step.on }, normalizeRoute),
    says: { ...defaults?.says, ...step.says },
    emits: mapped({ ...defaults?.emits, ...step.emits }, normalizeEmitted),
    ...defined({ budget, next, phase, sets: step.sets }),
    ...(judged.length === 0 ? {} : { judged }),
  }
}

function checkOf(step: StepFile, { defaults }: WorkflowFile): { checks: string[]; timeoutMs: number } {
  const wall = step.timeout?.wall ?? defaults?.timeout?.wall ?? ''
  return { checks: [step.check ?? []].flat(), timeoutMs: parseDuration(wall) ?? defaultWallMs }
}

function eachOf(step: StepFile, { stepsOf }: StepSurroundings): Omit<EachStep, keyof StepCommon | 'type'> {
  const { only } = step
  return {
    list: step.each ?? '',
    attempts: step.attempts ?? 1,
    steps: stepsOf(step.steps ?? []),
    ...defined({ only }),
  }
}

type WriteFile = Exclude<NonNullable<StepFile['writes']>, readonly unknown[]>

function normalizeWrite(write: WriteFile): WriteSpec {
  if (typeof write === 'string') return { path: write, orAnswer: false }
  const others = [write.or ?? []].flat()
  const kept = others.includes('kept') ? { orKept: true } : {}
  return { path: write.path, orAnswer: others.includes('answer'), ...kept }
}

function normalizeRoute(route: RouteFile): Route {
  if (typeof route === 'string') return { type: 'to', target: route, once: false }
  const { feedback, limit, then, emits, budget } = route
  return {
    type: route.call === undefined ? 'to' : 'call',
    target: route.call ?? route.to ?? '',
    once: route.once ?? false,
    ...defined({ feedback, limit, budget, maxDepth: route.max_depth }),
    ...(then !== undefined && { then: normalizeRoute(then) }),
    ...(emits !== undefined && { emits: normalizeEmitted(emits) }),
  }
}

/** A name alone is short for an event of that type without data. */
export function normalizeEmitted(emitted: NonNullable<WorkflowFile['emits']>[string]): Emits[string] {
  if (typeof emitted === 'string') return { type: emitted }
  return { type: emitted.type, ...defined({ data: emitted.data }) }
}
