import { sendMessage } from '../../journal/inbox.ts'
import { readState } from '../../journal/read-state.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { PersonVerb } from '../../model/durable.ts'
import { FailureError } from '../../model/failure.ts'
import { isOver } from '../../model/run-state.ts'
import { readHolder } from '../../platform/lock.ts'
import { stoppedText } from '../../views/stopped.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import { resumeRun } from '../resume-run.ts'
import { stop } from '../stop-run.ts'

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
  const message = await sendMessage(folder.inbox, { to: state.asked, verb, text })
  if (!message) throw answeredAlready(folder.id)
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

/** A run that lives is told to stop; one that does not is woken just enough to record that it is over. */
export async function cancel(command: Command, run: string | undefined): Promise<number> {
  const { surroundings, output } = command
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const state = await readState(folder)
  if (isOver(state)) throw ended(folder.id, state.status)
  const record = (): Promise<unknown> =>
    resumeRun({ ...surroundings, onLine: () => undefined }, { run: folder.id, cancelAtOnce: true })
  const stopped = await stop(folder, { record, patienceMs: 30_000 })
  const { status: now, branch } = await readState(folder)
  const text = `Run ${folder.id} is ${now}. Its branch ${branch || '(none)'} is as the last step left it.`
  const document = {
    run: folder.id,
    status: now,
    branch,
    step: state.currentStep,
    stopped: stopped.map((one) => ({ ...one })),
  }
  output.result(`${text}\n${stoppedText(state.currentStep, stopped)}`, document)
  return 0
}

function needsText(verb: string, run: string): FailureError {
  return new FailureError({
    code: 'message.empty',
    message: `'${verb}' needs words: they are what the step is told.`,
    next: `baton ${verb} ${run} "<text>"`,
  })
}

/** Stored, but not yet in the journal. */
function answeredAlready(run: string): FailureError {
  return new FailureError({
    code: 'message.unread',
    message: `Run ${run} has its answer already and has not read it yet.`,
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
