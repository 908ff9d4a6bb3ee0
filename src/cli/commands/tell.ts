import { openInbox, requestCancel, sendMessage } from '../../journal/inbox.ts'
import { readJournal } from '../../journal/read-journal.ts'
import { readState } from '../../journal/read-state.ts'
import { openReplay } from '../../journal/replay.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { RunFolder } from '../../journal/run-folder.ts'
import type { PersonMessage, PersonVerb } from '../../model/durable.ts'
import type { JournalLine } from '../../model/event.ts'
import { FailureError } from '../../model/failure.ts'
import { readHolder } from '../../platform/lock.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import { resumeRun } from '../resume-run.ts'

export interface Told {
  readonly verb: PersonVerb
  readonly run: string | undefined
  readonly text: string
}

/** approve, reject, answer: stored for the run's one writer, who records it. */
export async function tell({ surroundings, output }: Command, told: Told): Promise<number> {
  const { verb } = told
  const text = told.text.trim()
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, told.run)
  const state = await readState(folder)
  if (verb !== 'approve' && text === '') throw needsText(verb, folder.id)
  if (state.status !== 'waiting') throw notWaiting(folder.id, state.status)
  if (!state.verbs.includes(verb)) throw notTaken(folder.id, verb, state.verbs)
  const earlier = await unreadAnswer(folder)
  if (earlier) throw answeredAlready(folder.id, earlier.verb)
  const message = await sendMessage(folder.inbox, { verb, text })
  const lives = (await readHolder(folder.lock))?.alive === true
  const next = lives ? `baton logs ${folder.id} --follow` : `baton resume ${folder.id}`
  output.result(`Stored '${verb}' for run ${folder.id}.\nNext: ${next}`, {
    run: folder.id,
    verb,
    id: message.id,
    next,
  })
  return 0
}

/** Stored, but not yet in the journal. A second one would answer the question after this one, unseen. */
async function unreadAnswer(folder: RunFolder): Promise<PersonMessage | undefined> {
  const lines: JournalLine[] = []
  for await (const line of readJournal(folder.journal)) lines.push(line)
  return openInbox(folder.inbox).take(openReplay(lines).messageIds)
}

/** A run that lives is told to stop; one that does not is woken just enough to record that it is over. */
export async function cancel(command: Command, run: string | undefined): Promise<number> {
  const { surroundings, output } = command
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const holder = await readHolder(folder.lock)
  const { status } = await readState(folder)
  if (['delivered', 'failed', 'cancelled'].includes(status)) throw ended(folder.id, status)
  await requestCancel(folder.inbox)
  if (holder?.alive === true) await untilReleased(folder.lock, holder.pid)
  else await resumeRun({ ...surroundings, onLine: () => undefined }, { run: folder.id, cancelAtOnce: true })
  const { status: now, branch } = await readState(folder)
  output.result(`Run ${folder.id} is ${now}. Its branch ${branch || '(none)'} is as the last step left it.`, {
    run: folder.id,
    status: now,
    branch,
  })
  return 0
}

async function untilReleased(lock: string, pid: number): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 100) {
    const holder = await readHolder(lock)
    if (holder?.alive !== true || holder.pid !== pid) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function needsText(verb: string, run: string): FailureError {
  return new FailureError({
    code: 'message.empty',
    message: `'${verb}' needs words: they are what the step is told.`,
    next: `baton ${verb} ${run} "<text>"`,
  })
}

function answeredAlready(run: string, verb: string): FailureError {
  return new FailureError({
    code: 'message.unread',
    message: `Run ${run} has its answer already ('${verb}') and has not read it yet.`,
    next: `baton resume ${run}`,
  })
}

function notWaiting(run: string, status: string): FailureError {
  return new FailureError({
    code: 'run.not_waiting',
    message: `Run ${run} is ${status}: it asks nothing.`,
    next: `baton show ${run}`,
  })
}

function notTaken(run: string, verb: string, verbs: readonly string[]): FailureError {
  return new FailureError({
    code: 'message.not_taken',
    message: `The question of run ${run} does not take '${verb}'.`,
    next: `It takes: ${verbs.map((one) => `baton ${one} ${run}`).join(' | ')}`,
  })
}

function ended(run: string, status: string): FailureError {
  return new FailureError({
    code: 'run.finished',
    message: `Run ${run} has ended already (${status}).`,
    next: `baton show ${run}`,
  })
}
