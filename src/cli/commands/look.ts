import { loadFrozen } from '../../config/freeze.ts'
import { readJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { RunFolder } from '../../journal/run-folder.ts'
import type { Json } from '../../model/json.ts'
import type { RunState } from '../../model/run-state.ts'
import { goalState } from '../../views/goal-state.ts'
import { runsTable, runSummary } from '../../views/run-summary.ts'
import { terminalLine } from '../../views/terminal-lines.ts'
import { glanceAtAll } from '../all-runs.ts'
import type { Command } from '../command.ts'
import { followRun } from '../follow-run.ts'
import { goalOf } from '../goal-of.ts'
import { openProject } from '../project.ts'
import { runBrief, runDocument } from '../run-document.ts'
import { snapshotDocument, snapshotsOf } from '../run-snapshots.ts'
import { goOnWith } from '../verb-line.ts'
import { stateOf } from '../state-of.ts'

export async function runs({ surroundings, output }: Command): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const states = await glanceAtAll(runsDir)
  const text =
    states.length === 0 ? 'No runs yet. Start one: baton run "<what you want done>"' : runsTable(states)
  output.result(text, states.map(runBrief))
  return 0
}

export async function show({ surroundings, output }: Command, run: string | undefined): Promise<number> {
  const { runsDir, repo } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const state = await stateOf(folder)
  const snapshots = await snapshotsOf(repo, folder, state.branch)
  const goal = output.json ? await goalOf(folder, state) : undefined
  const document = {
    ...{ ...runDocument(state), snapshots: snapshots.map(snapshotDocument) },
    ...(goal ? { state: goalState(goal.facts, goal.workflow) } : {}),
  }
  const next = state.status === 'paused' ? await verbFor(folder, state) : nextCommand(state)
  output.result(runSummary(state, next, snapshots), document)
  return 0
}

/** A run that pauses goes on with a verb of the workflow that it was begun with. */
async function verbFor(folder: RunFolder, state: RunState): Promise<string> {
  const { loaded } = await loadFrozen(folder.frozen, { digest: state.digest })
  return goOnWith(loaded.workflow, state)
}

export async function logs(
  { surroundings, output }: Command,
  run: string | undefined,
  flags: { readonly follow?: boolean },
): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const lines =
    flags.follow === true ? followRun(folder, surroundings.interrupt) : readJournal(folder.journal)
  const all: Json[] = []
  for await (const line of lines) {
    if (output.json) all.push({ ts: line.ts, role: line.role, type: line.type, data: line.data })
    else {
      const text = terminalLine(line)
      if (text !== undefined) output.line(text)
    }
  }
  output.result('', all)
  return 0
}

const nextCommands: Readonly<Record<RunState['status'], (state: RunState) => string>> = {
  waiting: ({ run, verbs }) =>
    `${verbs.map((verb) => answerLine(verb, run)).join(' | ')}, then: baton resume ${run}`,
  paused: ({ run }) => `baton resume ${run}`,
  stopped: ({ run }) => `baton resume ${run}`,
  out_of_time: (state) =>
    `baton resume ${state.run} --time-limit ${hoursSince(state)}h   (counted from the start of the run)`,
  out_of_budget: ({ run }) =>
    `baton cost ${run}, then with a higher limit: baton resume ${run} --max-cost <dollars> | --max-tokens <count>`,
  delivered: ({ branch }) => `git merge ${branch}`,
  running: ({ run }) => `baton logs ${run} --follow`,
  unreadable: () => '',
  failed: afterFailure,
  cancelled: afterFailure,
}

function nextCommand(state: RunState): string {
  return nextCommands[state.status](state)
}

function answerLine(verb: string, run: string): string {
  return `baton ${verb} ${run}${verb === 'approve' ? '' : ' "<text>"'}`
}

function afterFailure({ run, base, branch }: RunState): string {
  if (branch === '') return ''
  return `git log --oneline ${base}..${branch}   (to go on from an earlier step: baton undo ${run})`
}

/** So many hours that the run has one more from now on, or at least from where it stopped. */
function hoursSince({ startedAt, updatedAt }: RunState): number {
  return Math.ceil((Date.parse(updatedAt) - Date.parse(startedAt)) / 3_600_000) + 1
}
