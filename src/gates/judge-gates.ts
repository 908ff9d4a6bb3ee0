import type { GateReport } from '../model/step-result.ts'
import type { GateSpec } from '../model/workflow.ts'
import { alwaysJudged } from './always.ts'
import { commitIsNew } from './commit-is-new.ts'
import type { Gate, GateFacts, Need } from './gate.ts'
import { mergeCommit, noConflictMarkers } from './merge.ts'
import { planHasParts } from './plan-has-parts.ts'
import { scoreIsHigh } from './score.ts'
import { testsPass } from './tests-pass.ts'

const gates: Readonly<Record<string, Gate>> = {
  commit_is_new: { needs: ['changes'], judge: commitIsNew },
  tests_pass: { needs: ['tests'], judge: testsPass },
  plan_has_parts: { needs: ['artifacts'], judge: planHasParts },
  score: { needs: [], judge: scoreIsHigh },
  no_conflict_markers: { needs: ['markers'], judge: noConflictMarkers },
  merge_commit: { needs: ['merged'], judge: mergeCommit },
}

export const gateNames: readonly string[] = [...Object.keys(gates), ...alwaysJudged]

/** Those that are left to judge once a step has a usable answer: the ones that hold always are judged by then. */
export function namedGates(specs: readonly GateSpec[]): GateSpec[] {
  return specs.filter(({ name }) => !(alwaysJudged as readonly string[]).includes(name))
}

export function needsOf(specs: readonly GateSpec[]): ReadonlySet<Need> {
  return new Set(specs.flatMap(({ name }) => gates[name]?.needs ?? []))
}

export function judgeGates(specs: readonly GateSpec[], facts: GateFacts): GateReport[] {
  return specs.map(({ name, parameters }) => {
    const gate = gates[name]
    // The loader has refused unknown names; a miss here is a bug.
    if (!gate) throw new Error(`no gate '${name}'`)
    const judged = gate.judge(facts, parameters)
    return { gate: name, met: judged.met, facts: judged.facts.slice(0, mostFacts) }
  })
}

/** Evidence, not the log itself: a journal is read whole. */
const mostFacts = 4000
