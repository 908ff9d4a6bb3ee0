import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GateReport, StepResult } from '../model/step-result.ts'
import type { GateDefinition } from '../model/supervision.ts'

type Verdict = 'met' | 'unmet' | 'inconclusive'

/** What the engine makes of a supervising role's answer. The role gives a score; whether it is enough is decided here. */
export interface Judgement {
  readonly verdict: Verdict
  readonly score?: number
  readonly facts: string
  readonly answer?: JsonObject
}

/** No usable answer is no judgement (C-53); anything but an answer that meets the gate is unmet. Pure. */
export function judgementOf(gate: GateDefinition, result: StepResult): Judgement {
  const { answer } = result
  const score = answer?.['score']
  if (result.outcome !== 'ok' || !answer || typeof score !== 'number') {
    const why = result.reason ?? 'it gave no score'
    return { verdict: 'inconclusive', facts: `could not be judged: ${why}` }
  }
  const against = objections(gate, { answer, score })
  if (against.length === 0) return { verdict: 'met', score, facts: scored(gate, score), answer }
  const said = textOf(answer['feedback'])
  const facts = [...against, ...(said === '' ? [] : [said])].join('\n')
  return { verdict: 'unmet', score, facts, answer }
}

function objections(
  { score: least, noIssue }: GateDefinition,
  { answer, score }: { readonly answer: JsonObject; readonly score: number },
): string[] {
  const grave = noIssue === undefined ? [] : issuesOf(answer).filter(({ severity }) => severity === noIssue)
  return [
    ...(least !== undefined && score < least ? [`score ${score}, at least ${least} is needed`] : []),
    ...(answer['verified'] === false ? ['it was found not to hold'] : []),
    ...grave.map(({ severity, about }) => `${severity} issue: ${about}`),
  ]
}

function issuesOf(answer: JsonObject): { severity: string; about: string }[] {
  const issues = answer['issues']
  if (!Array.isArray(issues)) return []
  return issues
    .filter((issue: Json): issue is JsonObject => isJsonObject(issue))
    .map((issue) => ({ severity: textOf(issue['severity']), about: textOf(issue['about']) }))
}

function scored({ score: least }: GateDefinition, score: number): string {
  return least === undefined ? `score ${score}` : `score ${score} of at least ${least}`
}

/** How a step ends once it was judged. */
export function afterJudgement(gate: GateDefinition, judged: Judgement, result: StepResult): StepResult {
  const { verdict, facts } = judged
  const isUnverified = verdict === 'inconclusive' && gate.inconclusive === 'conditions'
  const report: GateReport = {
    ...{ gate: gate.name, met: verdict === 'met' || isUnverified, judged: true },
    facts: isUnverified ? `unverified: ${facts}` : facts,
  }
  const known = {
    ...(judged.score === undefined ? {} : { score: judged.score }),
    ...(judged.answer === undefined ? {} : { verification: judged.answer }),
    ...(isUnverified ? { unverified: true } : {}),
  }
  const ended = { ...result, gates: [...result.gates, report], facts: { ...result.facts, ...known } }
  if (report.met) return ended
  const reason = `${gate.name}: ${facts}`
  return verdict === 'unmet'
    ? { ...ended, outcome: 'revise', label: gate.name, reason }
    : { ...ended, outcome: 'failed', label: 'inconclusive', reason }
}
