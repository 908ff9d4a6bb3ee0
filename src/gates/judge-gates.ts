import type { GateReport } from '../model/step-result.ts'
import type { GateShape, GateSpec } from '../model/workflow.ts'
import { alwaysJudged } from './always.ts'
import { answerIsRight } from './answer.ts'
import { checklistDone } from './checklist.ts'
import { commitIsNew } from './commit-is-new.ts'
import { noUnplannedDeletions } from './deletions.ts'
import { diffNotEmpty } from './diff-not-empty.ts'
import { editsInsideArtifacts, editsSorted, testsUntouched } from './edits.ts'
import type { Gate, GateFacts, Need } from './gate.ts'
import {
  changedSomething,
  dependenciesSatisfiable,
  evidencePresent,
  failuresAcceptable,
  testsIncluded,
} from './item-gates.ts'
import { mergeCommit, noConflictMarkers } from './merge.ts'
import { documentsUpdated, testsWritten } from './plan-deliverables.ts'
import { planHasParts } from './plan-has-parts.ts'
import { artifactsInside, idsInOrder } from './planned-items.ts'
import { scoreIsHigh } from './score.ts'
import { stepChanged } from './step-changed.ts'
import { taskListValid } from './task-list-valid.ts'
import { testsNotWeakened } from './tests-not-weakened.ts'
import { testsPass, testsPassClean } from './tests-pass.ts'
import { versionAndChangelog } from './version-and-changelog.ts'

const agentOnly = true

const gates: Readonly<Record<string, Gate>> = {
  commit_is_new: { agentOnly, needs: ['changes'], judge: commitIsNew },
  plan_has_parts: { agentOnly, needs: ['artifacts'], judge: planHasParts },
  score: { agentOnly, takes: 'number', options: ['if_present'], needs: [], judge: scoreIsHigh },
  no_conflict_markers: { agentOnly, needs: ['markers'], judge: noConflictMarkers },
  merge_commit: { agentOnly, needs: ['merged'], judge: mergeCommit },
  checklist_done: {
    ...{ agentOnly, takes: 'step', needs: ['artifacts', 'branch', 'paths'], judge: checklistDone },
  },
  tests_pass: { needs: ['tests'], judge: testsPass },
  tests_pass_clean: { needs: ['clean_tests'], judge: testsPassClean },
  tests_not_weakened: { takes: 'step', needs: ['branch', 'testing'], judge: testsNotWeakened },
  tests_written: { takes: 'step', needs: ['branch'], judge: testsWritten },
  documents_updated: { takes: 'step', needs: ['branch'], judge: documentsUpdated },
  no_unplanned_deletions: { takes: 'step', needs: ['branch'], judge: noUnplannedDeletions },
  version_and_changelog: { needs: ['branch', 'base_names'], judge: versionAndChangelog },
  step_changed: { agentOnly, needs: ['step_changes'], judge: stepChanged },
  task_list_valid: { agentOnly, takes: 'text', needs: ['artifacts'], judge: taskListValid },
  answer: { agentOnly, takes: 'fields', options: ['ordered'], needs: [], judge: answerIsRight },
  ids_in_order: { agentOnly, takes: 'field', options: ['prefix'], needs: [], judge: idsInOrder },
  artifacts_inside: { agentOnly, takes: 'field', needs: ['places'], judge: artifactsInside },
  edits_sorted: { agentOnly, needs: [], judge: editsSorted },
  edits_inside_artifacts: { agentOnly, takes: 'list', needs: [], judge: editsInsideArtifacts },
  tests_untouched: { agentOnly, needs: ['step_changes'], judge: testsUntouched },
  diff_not_empty: { needs: ['branch'], judge: diffNotEmpty },
  dependencies_satisfiable: { agentOnly, takes: 'field', needs: [], judge: dependenciesSatisfiable },
  changed_something: { needs: ['since'], judge: changedSomething },
  tests_included: { needs: ['since'], judge: testsIncluded },
  evidence_present: { needs: ['since', 'evidence'], judge: evidencePresent },
  failures_acceptable: { options: ['max', 'share'], needs: [], judge: failuresAcceptable },
}

const plain: GateShape = { takes: 'nothing', options: [], agentOnly: false }

/** What a workflow may name under `gates`, and how. */
export const gateShapes: Readonly<Record<string, GateShape>> = {
  ...Object.fromEntries(
    Object.entries(gates).map(([name, { needs: _needs, judge: _judge, ...shape }]) => [
      name,
      { ...plain, ...shape },
    ]),
  ),
  ...Object.fromEntries(alwaysJudged.map((name) => [name, { ...plain, agentOnly }])),
}

/** Those that are left to judge once a step has a usable answer: the ones that hold always are judged by then. */
export function namedGates(specs: readonly GateSpec[]): GateSpec[] {
  return specs.filter(({ name }) => !(alwaysJudged as readonly string[]).includes(name))
}

/** Those that rest on the branch alone. */
export function branchGates(specs: readonly GateSpec[]): GateSpec[] {
  return specs.filter(({ name }) => gateShapes[name]?.agentOnly === false)
}

export function needsOf(specs: readonly GateSpec[]): ReadonlySet<Need> {
  return new Set(specs.flatMap(({ name }) => gates[name]?.needs ?? []))
}

export function judgeGates(specs: readonly GateSpec[], facts: GateFacts): GateReport[] {
  return specs.map(({ name, parameters, of }) => {
    const gate = gates[name]
    // The loader has refused unknown names; a miss here is a bug.
    if (!gate) throw new Error(`no gate '${name}'`)
    const judged = gate.judge(facts, parameters)
    const report = { gate: name, met: judged.met, facts: judged.facts.slice(0, mostFacts) }
    return of === undefined ? report : { ...report, of }
  })
}

/** Evidence, not the log itself: a journal is read whole. */
const mostFacts = 4000
