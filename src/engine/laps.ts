import type { Instant } from '../model/durable.ts'
import { parseDuration } from '../model/duration.ts'
import type { Route, Step } from '../model/workflow.ts'
import type { Frame } from './frame.ts'

/** A way back that is being walked, with the time that all its laps may take together (C-50). */
export interface Lap {
  readonly key: string
  readonly step: string
  readonly since: Instant
  readonly deadline?: Instant
}

/** Begins a lap of a route that has a budget; without one, or without a limit around it, nothing is counted. */
export async function beginLap(
  frame: Frame,
  { step, key }: { readonly step: Step; readonly key: string },
  route: Route,
): Promise<Lap | undefined> {
  if (route.budget === undefined) return undefined
  const since = await frame.context.now(`${key}/lap`)
  const budget = budgetOf(frame, route.budget)
  const left = budget === undefined ? undefined : Math.max(0, budget - usedOf(frame, step.id))
  const deadline = left === undefined ? {} : { deadline: since + left }
  return { key: lapKey(frame, step.id), step: step.id, since, ...deadline }
}

/** Back at the step that the lap set out from: what it took is counted. */
export async function endLap(
  frame: Frame,
  lap: Lap | undefined,
  { step, key }: { readonly step: Step; readonly key: string },
): Promise<void> {
  if (!lap || lap.step !== step.id) return
  const now = await frame.context.now(`${key}/lap/over`)
  frame.laps.set(lap.key, (frame.laps.get(lap.key) ?? 0) + now - lap.since)
}

/** A lap lasts until the step that it set out from has ended again. */
export function stillUnderWay(lap: Lap | undefined, step: Step): Lap | undefined {
  return lap?.step === step.id ? undefined : lap
}

export function hasBudget({ on }: Step): boolean {
  return Object.values(on).some(({ budget }) => budget !== undefined)
}

/** Whether the time of the step's budgeted ways back is used up. Recorded: with more time a replay would differ. */
export async function isSpent(frame: Frame, step: Step, key: string): Promise<boolean> {
  const budgets = Object.values(step.on).flatMap(({ budget }) => budget ?? [])
  return frame.context.step(`${key}/spent`, async () =>
    budgets.some((budget) => {
      const time = budgetOf(frame, budget)
      return time !== undefined && usedOf(frame, step.id) >= time
    }),
  )
}

function budgetOf({ box }: Frame, budget: string | number): number | undefined {
  if (typeof budget === 'string') return parseDuration(budget)
  return box === undefined ? undefined : Math.floor((box.deadline - box.from) * budget)
}

/** By place, not by attempt: the laps of all attempts of an item share one budget. */
function lapKey(frame: Frame, step: string): string {
  return `${frame.place}${step}`
}

function usedOf(frame: Frame, step: string): number {
  return frame.laps.get(lapKey(frame, step)) ?? 0
}
