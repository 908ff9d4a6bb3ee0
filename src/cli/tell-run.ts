import { sendMessage } from '../journal/inbox.ts'
import { findRun } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { PersonVerb } from '../model/durable.ts'
import { FailureError } from '../model/failure.ts'
import { wordsNeeded } from '../views/words.ts'
import type { RunState } from '../model/run-state.ts'
import { answerLine, nextCommand } from './next-command.ts'
import { stateOf } from './state-of.ts'
import { readHolder } from '../platform/lock.ts'

export interface Told {
  readonly verb: PersonVerb
  readonly run: string | undefined
  readonly text: string
}

interface Stored {
  readonly run: string
  readonly verb: PersonVerb
  readonly id: string
  /** What to type next. */
  readonly next: string
}

/** approve, reject, answer: stored for the run's one writer, who records it. */
export async function tellRun(runsDir: string, told: Told): Promise<Stored> {
  const { verb } = told
  const text = told.text.trim()
  const folder = await findRun(runsDir, told.run)
  const state = await stateOf(folder)
  if (verb !== 'approve' && text === '') throw needsText(verb, folder.id)
  if (state.status !== 'waiting') throw notWaiting(state)
  if (!state.verbs.includes(verb)) throw notTaken(folder.id, verb, state.verbs)
  const message = await sendMessage(folder.inbox, { to: state.asked, verb, text })
  const next = await afterAnswer(folder)
  if (!message) throw answeredAlready(folder.id, next)
  return { run: folder.id, verb, id: message.id, next }
}

/** What to type when the answer is stored and not yet in the journal. */
export async function afterAnswer({ id, lock }: RunFolder): Promise<string> {
  const lives = (await readHolder(lock))?.alive === true
  return lives ? `baton logs ${id} --follow` : `baton resume ${id}`
}

function needsText(verb: string, run: string): FailureError {
  return new FailureError({
    code: 'message.empty',
    message: wordsNeeded(verb),
    next: `baton ${verb} ${run} "<text>"`,
  })
}

function answeredAlready(run: string, next: string): FailureError {
  return new FailureError({
    code: 'message.unread',
    message: `Run ${run} has its answer already and has not read it yet.`,
    next,
  })
}

function notWaiting(state: RunState): FailureError {
  const { run, status } = state
  return new FailureError({
    code: 'run.not_waiting',
    message: `Run ${run} is ${status}: it asks nothing.`,
    next: status === 'stopped' ? nextCommand(state) : `baton show ${run}`,
  })
}

function notTaken(run: string, verb: string, verbs: readonly string[]): FailureError {
  return new FailureError({
    code: 'message.not_taken',
    message: `The question of run ${run} does not take '${verb}'.`,
    next: `It takes: ${verbs.map((one) => answerLine(one, run)).join(' | ')}`,
  })
}
