import { loadFrozen } from '../../config/freeze.ts'
import { hasAnswer } from '../../journal/inbox.ts'
import { readJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { RunFolder } from '../../journal/run-folder.ts'
import type { JournalLine } from '../../model/event.ts'
import type { Json } from '../../model/json.ts'
import type { RunState } from '../../model/run-state.ts'
import { goalState } from '../../views/goal-state.ts'
import { runsTable, runSummary } from '../../views/run-summary.ts'
import { stepLine, terminalLine } from '../../views/terminal-lines.ts'
import { glanceAtAll } from '../all-runs.ts'
import type { Command } from '../command.ts'
import { followRun } from '../follow-run.ts'
import { endWords } from '../end-words.ts'
import { goalOf } from '../goal-of.ts'
import { nextCommand } from '../next-command.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { recordedEnd } from '../recorded-end.ts'
import { runBrief, runDocument } from '../run-document.ts'
import { snapshotDocument, snapshotsOf } from '../run-snapshots.ts'
import { goOnWith } from '../verb-line.ts'
import { stateOf, untilNow } from '../state-of.ts'
import { afterAnswer } from '../tell-run.ts'

export async function runs({ surroundings, output }: Command): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const states = await glanceAtAll(runsDir)
  const text =
    states.length === 0
      ? 'No runs yet. Start one: baton run "<what you want done>"'
      : runsTable(states.map((state) => untilNow(state, surroundings.clock)))
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
  const next = await nextFor(folder, state)
  output.result(runSummary(untilNow(state, surroundings.clock), next, snapshots), document)
  return 0
}

async function nextFor(folder: RunFolder, state: RunState): Promise<string> {
  if (state.status === 'paused') return verbFor(folder, state)
  // The question stands until the run reads its answer; a second one would be refused.
  const isAnswered = state.status === 'waiting' && (await hasAnswer(folder.inbox, state.asked))
  return isAnswered ? afterAnswer(folder) : nextCommand(state, state.steps)
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
  if (output.json) {
    const all: Json[] = []
    for await (const { ts, role, type, data } of lines) all.push({ ts, role, type, data })
    output.result('', all)
    return 0
  }
  const last = await tellLines(output, lines)
  const isLeft = flags.follow === true && !surroundings.interrupt.aborted
  output.result(isLeft ? await lastWords(folder, last) : '', [])
  return 0
}

/** Line by line. Gives the last one that says something of the run. */
async function tellLines(
  output: Output,
  lines: AsyncIterable<JournalLine>,
): Promise<JournalLine | undefined> {
  let last: JournalLine | undefined
  // A workflow without words of its own has at least steps that begin and end.
  let hasSaid = false
  for await (const line of lines) {
    // Whom a notification did not reach is written after the end.
    if (line.type !== 'run.warned') last = line
    hasSaid ||= line.type === 'said'
    const text = terminalLine(line) ?? (hasSaid ? undefined : stepLine(line))
    if (text !== undefined) output.line(text)
  }
  return last
}

/** What who ran it has read last. */
async function lastWords(folder: RunFolder, last: JournalLine | undefined): Promise<string> {
  const state = await stateOf(folder)
  const ending = recordedEnd(last, state)
  const goOn = ending?.type === 'paused' ? await verbFor(folder, state) : ''
  return ending ? endWords(ending, { id: folder.id, state, goOn }) : ''
}
