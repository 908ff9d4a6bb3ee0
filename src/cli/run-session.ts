import { join } from 'node:path'
import { runWorkflow } from '../engine/run-workflow.ts'
import type { RunEnd, RunInput } from '../engine/run-workflow.ts'
import { lastAttempt } from '../git/publish-index.ts'
import { openContext } from '../journal/durable-context.ts'
import { openInbox, takeCancel } from '../journal/inbox.ts'
import { openJournal } from '../journal/open-journal.ts'
import type { Journal } from '../journal/open-journal.ts'
import { readRecorded } from '../journal/recorded.ts'
import type { Recorded } from '../journal/recorded.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { SuspendedError } from '../model/durable.ts'
import type { PersonMessage, Question } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { ExitCode } from '../model/failure.ts'
import type { JsonObject } from '../model/json.ts'
import { shellWord } from '../model/shell-word.ts'
import type { SpendingLimits } from '../model/spending.ts'
import type { Pause, WantedStretch } from '../model/stretch.ts'
import { pauseOf } from '../model/paused.ts'
import type { Notifier } from '../notify/notify.ts'
import { instantOf } from '../platform/clock.ts'
import type { Clock } from '../platform/clock.ts'
import { pauseOptimizer } from '../platform/optimizer.ts'
import { killOwnedBy } from '../platform/processes.ts'
import { createPerformer } from '../steps/perform.ts'
import type { Workplace } from '../steps/workplace.ts'

export interface Session {
  readonly workplace: Workplace
  readonly folder: RunFolder
  readonly values: JsonObject
  readonly mode?: string
  readonly timeLimitMs?: number
  readonly limits: SpendingLimits
  readonly clock: Clock
  readonly secrets: readonly string[]
  readonly onLine: (line: JournalLine) => void
  /** People elsewhere; what could not be told them is recorded at the end. */
  readonly notifier?: Pick<Notifier, 'settle'>
  /** What earlier processes have recorded, part by part, before anything new. */
  readonly onRecorded: (lines: readonly JournalLine[]) => void
  /** All of it once more, if some of it was undone: what is left of a run then, only the whole tells. */
  readonly onUndone: (lines: readonly JournalLine[]) => void
  readonly askPerson?: (question: Question, signal: AbortSignal) => Promise<PersonMessage | undefined>
  /** Ends when the person presses Ctrl-C. */
  readonly interrupt: AbortSignal
  /** A cancelled run that nobody was running: only its end is recorded. */
  readonly cancelAtOnce?: boolean
  /** What the command asks of a run that has begun. */
  readonly wanted?: WantedStretch
  /** The first fact of this process: the run started, or was resumed. */
  readonly opening: JsonObject & { readonly type: 'run.started' | 'run.resumed' }
}

export type SessionEnd =
  | { readonly type: 'finished'; readonly end: RunEnd; readonly exitCode: ExitCode }
  | { readonly type: 'paused'; readonly end: RunEnd; readonly pause: Pause; readonly exitCode: ExitCode }
  | { readonly type: 'waiting'; readonly question: Question; readonly exitCode: ExitCode }
  | { readonly type: 'interrupted' | 'cancelled'; readonly exitCode: ExitCode }

/** Drives a run from wherever its journal stands until it ends, waits or is stopped. The caller holds the lock. */
export async function driveRun(session: Session): Promise<SessionEnd> {
  const { folder, clock, secrets, onLine } = session
  const journal = await openJournal({ path: folder.journal, clock, secrets, onLine })
  try {
    const recorded = await readRecorded(folder.journal, session.onRecorded)
    if (recorded.undos > 0) session.onUndone(recorded.undone)
    // Who holds the lock is the only one: what still carries the run's mark was left by a process that was killed.
    if (recorded.count > 0) await killOwnedBy(folder.dir)
    return await driveOn(session, journal, recorded)
  } finally {
    await journal.close()
  }
}

async function driveOn(session: Session, journal: Journal, recorded: Recorded): Promise<SessionEnd> {
  const { folder } = session
  const cancel = new AbortController()
  const stopWatching = watchForCancel(folder, cancel)
  const onNew = easeReplay(recorded)
  try {
    const { type, ...data } = session.opening
    if (session.cancelAtOnce === true) {
      await takeCancel(folder.inbox)
      return await recordCancel(journal)
    }
    await journal.append(engineEvent(type, data))
    return await drive(session, { journal, recorded, cancel, onNew })
  } finally {
    stopWatching()
    onNew()
    await noteHeldIndex(journal, folder)
    for (const { target, why } of (await session.notifier?.settle()) ?? [])
      await journal.append(engineEvent('run.warned', { about: 'notification_failed', target, why }))
  }
}

/** Whoever commits in the worktree would take the last step back without having been told. */
async function noteHeldIndex(journal: Journal, { git }: RunFolder): Promise<void> {
  const held = await lastAttempt(git)
  if (held === undefined) return
  const { worktree, registration } = held.task
  const lock = join(registration, 'index.lock')
  const then = `rm ${shellWord(lock)} && git -C ${shellWord(worktree)} reset`
  await journal.append(engineEvent('run.warned', { about: 'index_held', worktree, lock, then }))
}

interface Driven {
  readonly journal: Journal
  readonly recorded: Recorded
  readonly cancel: AbortController
  readonly onNew: () => void
}

/** From here on a replay takes long enough to be noticed. */
const manyLines = 1000

function easeReplay({ count }: Recorded): () => void {
  return count > manyLines ? pauseOptimizer() : () => undefined
}

async function drive(session: Session, { journal, recorded, cancel, onNew }: Driven): Promise<SessionEnd> {
  const { folder, clock, interrupt } = session
  const signal = AbortSignal.any([interrupt, cancel.signal])
  const pausedMs = pauseOf(recorded.pauses, instantOf(clock))
  const taken = recorded.count === 0 ? {} : { resumedAt: instantOf(clock) - pausedMs }
  const context = openContext({
    ...{
      runId: folder.id,
      journal,
      recorded,
      clock,
      signal,
      inbox: openInbox(folder.inbox),
      pausedMs,
      onNew,
    },
    ...(session.askPerson ? { askPerson: session.askPerson } : {}),
  })
  try {
    const end = await runWorkflow(context, { ...inputOf(session, recorded), pausedMs, ...taken })
    if (end.outcome === 'time' || end.outcome === 'spending') await noteUsedUp(journal, end)
    if (end.pause) return await recordPause(journal, { ...end, pause: end.pause })
    return { type: 'finished', end, exitCode: end.exitCode }
  } catch (error) {
    if (error instanceof SuspendedError)
      return { type: 'waiting', question: error.question, exitCode: exitCodes.waiting }
    if (cancel.signal.aborted) return recordCancel(journal)
    if (interrupt.aborted) return { type: 'interrupted', exitCode: exitCodes.interrupted }
    await noteStop(journal, error)
    throw error
  }
}

function inputOf(session: Session, recorded: Recorded): RunInput {
  const { workplace, values, mode, timeLimitMs, wanted, limits } = session
  return {
    ...{
      workflow: workplace.workflow,
      performer: createPerformer(workplace, recorded.undone),
      values,
      limits,
    },
    ...(mode === undefined ? {} : { mode }),
    ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    ...(wanted ? { wanted } : {}),
  }
}

/** Not under a key: the next stretch is what follows, however often the run was looked at meanwhile. */
async function recordPause(journal: Journal, end: RunEnd & { readonly pause: Pause }): Promise<SessionEnd> {
  const { pause, outcome, exitCode, step, reason } = end
  const data = { ...pause, outcome, exit_code: exitCode, step, reason }
  await journal.append(engineEvent('run.paused', data))
  return { type: 'paused', end, pause, exitCode }
}

async function noteUsedUp(journal: Journal, { outcome, exitCode, step, reason }: RunEnd): Promise<void> {
  await journal.append(engineEvent('run.finished', { outcome, exit_code: exitCode, step, reason }))
}

async function recordCancel(journal: Journal): Promise<SessionEnd> {
  const data = {
    outcome: 'cancelled',
    exit_code: exitCodes.interrupted,
    step: '',
    reason: 'cancelled by a person',
  }
  await journal.append(engineEvent('run.finished', data))
  return { type: 'cancelled', exitCode: exitCodes.interrupted }
}

/** An expected failure is recorded as it is printed, so that `show` tells the same later. */
async function noteStop(journal: Journal, error: unknown): Promise<void> {
  if (!(error instanceof FailureError)) return
  const { code, message, next } = error
  await journal.append(engineEvent('run.stopped', { code, message, next }))
}

function watchForCancel(folder: RunFolder, cancel: AbortController): () => void {
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    if (await takeCancel(folder.inbox)) cancel.abort()
    looking = false
  }
  const timer = setInterval(() => void look(), 250)
  timer.unref()
  return () => clearInterval(timer)
}
