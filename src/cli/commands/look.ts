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
import { nextCommand } from '../next-command.ts'
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
