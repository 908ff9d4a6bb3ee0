import type { RunGlance } from '../journal/glance.ts'
import type { JsonObject } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'

/** `current_step`, `mode` and `artifacts` as the specification names the state (R000-37 to 39). */
export function runDocument(state: RunState): JsonObject {
  return {
    ...runBrief(state),
    artifacts: state.artifacts,
    backlog: state.backlog,
    steps: state.steps.map(({ startedAt, finishedAt, gates, ...step }) => ({
      ...{ ...step, started_at: startedAt, finished_at: finishedAt },
      gates: gates.map((gate) => ({ ...gate })),
    })),
  }
}

export function runBrief(state: RunGlance): JsonObject {
  const { run, workflow, digest, version, task, mode, branch, base, worktree, status, reason, question } =
    state
  return {
    ...{ run, status, workflow, mode, task, branch, base, worktree, digest, version, reason, question },
    verbs: state.verbs,
    current_step: state.currentStep,
    ...(state.next === '' ? {} : { next_step: state.next }),
    ...(state.exitCode === undefined ? {} : { exit_code: state.exitCode }),
    ...{ started_at: state.startedAt, updated_at: state.updatedAt },
  }
}
