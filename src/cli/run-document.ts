import type { RunGlance } from '../journal/glance.ts'
import type { JsonObject } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'

/** `current_step`, `mode` and `artifacts` as the specification names the state (R000-37 to 39). */
export function runDocument(state: RunState): JsonObject {
  return {
    ...runBrief(state),
    paused_ms: state.pausedMs,
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
  const { verbs, currentStep, startedAt, updatedAt } = state
  const times = { started_at: startedAt, updated_at: updatedAt }
  // Assigned, not spread: that is several times slower, and there may be a thousand runs.
  return Object.assign(
    { run, status, workflow, mode, task, branch, base, worktree, digest, version, reason, question, verbs },
    { current_step: currentStep },
    state.next === '' ? undefined : { next_step: state.next },
    state.exitCode === undefined ? undefined : { exit_code: state.exitCode },
    times,
  )
}
