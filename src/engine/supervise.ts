import { engineEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { Guidance } from '../model/step-result.ts'
import type { Level, LevelRoute, Supervision } from '../model/supervision.ts'
import { countIssues, levelFor } from './escalation.ts'
import type { Situation } from './escalation.ts'
import { valuesIn } from './frame.ts'
import type { Frame } from './frame.ts'
import type { Judgement } from './judgement.ts'
import { speak } from './speak.ts'

/** A level that leads away from all work under way. */
export class EscalatedError extends Error {
  readonly level: string
  readonly route: LevelRoute

  constructor(level: string, route: LevelRoute, why: string) {
    super(`${level}: the work was broken off. ${why}`)
    this.name = 'EscalatedError'
    this.level = level
    this.route = route
  }
}

export interface Assessed {
  readonly key: string
  readonly step: string
  readonly gate: string
  readonly judgement: Judgement
  readonly isUnverified: boolean
}

/** After every judgement: what it adds to the row of issues, which level that is, and what follows from it. */
export async function assess(frame: Frame, assessed: Assessed): Promise<void> {
  const { supervision } = frame.workflow
  if (!supervision) return
  const { key, step, gate, judgement } = assessed
  const { verdict, score } = judgement
  const watch = frame.watch
  watch.issues = countIssues(watch.issues, verdict)
  const data = {
    ...{ step, gate, verdict, issues: watch.issues },
    ...(score === undefined ? {} : { score }),
    ...(assessed.isUnverified ? { unverified: true } : {}),
  }
  await frame.context.record(`${key}/judged`, engineEvent('gate.judged', data))
  if (verdict === 'inconclusive') return
  const level = levelFor(supervision.escalation, situationOf(frame, score))
  if (level) await raise(frame, { supervision, level, ...assessed })
}

/** Failed items raise a level once for each more of them, or every later judgement would raise it again. */
function situationOf({ watch }: Frame, score: number | undefined): Situation {
  const { total, failed } = watch.items
  const isNew = failed.length > watch.failedSeen
  watch.failedSeen = Math.max(watch.failedSeen, failed.length)
  return {
    ...(score === undefined ? {} : { score }),
    issues: watch.issues,
    items: { total, failed: isNew ? failed.length : 0 },
  }
}

interface Raised extends Assessed {
  readonly supervision: Supervision
  readonly level: Level
}

async function raise(frame: Frame, raised: Raised): Promise<void> {
  const { supervision, level, key, step, gate, judgement } = raised
  const isMildest = level === supervision.escalation[0]
  frame.watch.guidance = undefined
  if (isMildest) return
  const { score } = judgement
  const about = { level: level.level, issues: frame.watch.issues, ...(score === undefined ? {} : { score }) }
  await frame.context.record(`${key}/level`, engineEvent('level.raised', { step, gate, ...about }))
  const values: JsonObject = { ...about, gate, step, feedback: judgement.facts }
  if (level.emits) {
    const tables = { says: {}, emits: { [level.level]: level.emits } }
    const speaker = frame.workflow.roles[supervision.role]?.title ?? 'ENGINE'
    const moment = { names: [level.level, 'level'], key, speaker, values: () => valuesIn(frame, values) }
    await speak(frame.context, tables, moment)
  }
  if (level.guidance !== undefined) {
    frame.watch.guidance = { level: level.level, prompt: level.guidance, values: spelled(values) }
  }
  const route = supervision.on[level.level]
  if (route) throw new EscalatedError(level.level, route, whyBroken(frame, raised))
}

/** Also what a plan from scratch is told: it must not lead to the same. */
function whyBroken({ watch }: Frame, { gate, judgement }: Raised): string {
  const { facts } = judgement
  return watch.issues > 1
    ? `${watch.issues} judgements in a row were not met, the last one of '${gate}': ${facts}`
    : `The judgement of '${gate}': ${facts}`
}

/** Where there is no score, the text has a word to put in its place. */
function spelled(values: JsonObject): Guidance['values'] {
  return { score: 'none', ...values }
}

/** The guidance for the next prompt, which is given once. */
export function takeGuidance({ watch }: Frame): { guidance?: Guidance } {
  const { guidance } = watch
  watch.guidance = undefined
  return guidance === undefined ? {} : { guidance }
}
