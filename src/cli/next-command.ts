import type { RunFacts, StepState } from '../model/run-state.ts'
import { shellWord } from '../model/shell-word.ts'

const nextCommands: Readonly<Record<RunFacts['status'], (state: RunFacts, steps?: Ended) => string>> = {
  waiting: ({ run, verbs, stays }) =>
    `${verbs.map((verb) => answerLine(verb, run)).join(' | ')}${stays ? '' : `, then: baton resume ${run}`}`,
  paused: ({ run }) => `baton resume ${run}`,
  stopped: ({ run }) => `baton resume ${run}`,
  out_of_time: (state) =>
    `baton resume ${state.run} --time-limit ${hoursFor(state)}h   (for all of its work, not only from here on)`,
  out_of_budget: ({ run }) =>
    `baton cost ${run}, then with a higher limit: baton resume ${run} --max-cost <dollars> | --max-tokens <count>`,
  delivered: ({ branch }) => `git merge ${shellWord(branch)}`,
  running: ({ run }) => `baton logs ${run} --follow`,
  unreadable: () => '',
  failed: afterFailure,
  cancelled: afterFailure,
}

type Ended = readonly Pick<StepState, 'outcome'>[]

/** What to type next, for every status that a run can have; with its steps, where they are known. */
export function nextCommand(state: RunFacts, steps?: Ended): string {
  return nextCommands[state.status](state, steps)
}

/** A verb that tells something is typed with its words. */
export function answerLine(verb: string, run: string): string {
  return `baton ${verb} ${run}${verb === 'approve' ? '' : ' "<text>"'}`
}

function afterFailure({ run, base, branch }: RunFacts, steps?: Ended): string {
  if (branch === '') return ''
  const way =
    steps && !leadsOn(steps)
      ? 'no earlier step to go back to: put right what ended it, then start a new run'
      : `to go on from an earlier step: baton undo ${run}`
  return `git log --oneline ${shellWord(`${base}..${branch}`)}   (${way})`
}

/** Back at the end of the step that failed, a run would only fail again. */
function leadsOn(steps: Ended): boolean {
  const ended = steps.filter(({ outcome }) => outcome !== '')
  return ended.length > 1 || ended.some(({ outcome }) => outcome !== 'failed')
}

/** So many hours that the run has one more than it has worked. */
function hoursFor({ startedAt, updatedAt, pausedMs }: RunFacts): number {
  return Math.ceil((Date.parse(updatedAt) - Date.parse(startedAt) - pausedMs) / 3_600_000) + 1
}
