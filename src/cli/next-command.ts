import type { RunFacts } from '../model/run-state.ts'
import { shellWord } from '../model/shell-word.ts'

const nextCommands: Readonly<Record<RunFacts['status'], (state: RunFacts) => string>> = {
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

/** What to type next, for every status that a run can have. */
export function nextCommand(state: RunFacts): string {
  return nextCommands[state.status](state)
}

/** A verb that tells something is typed with its words. */
export function answerLine(verb: string, run: string): string {
  return `baton ${verb} ${run}${verb === 'approve' ? '' : ' "<text>"'}`
}

function afterFailure({ run, base, branch }: RunFacts): string {
  if (branch === '') return ''
  return `git log --oneline ${shellWord(`${base}..${branch}`)}   (to go on from an earlier step: baton undo ${run})`
}

/** So many hours that the run has one more than it has worked. */
function hoursFor({ startedAt, updatedAt, pausedMs }: RunFacts): number {
  return Math.ceil((Date.parse(updatedAt) - Date.parse(startedAt) - pausedMs) / 3_600_000) + 1
}
