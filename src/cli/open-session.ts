import { hostname } from 'node:os'
import { timeLimitOf } from '../engine/run-workflow.ts'
import { forgetLooks } from '../git/look-ahead.ts'
import { dropDraft } from '../git/private-dir.ts'
import { looksEnded } from '../git/space-turns.ts'
import { secretsIn } from '../journal/redact.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import type { JsonObject } from '../model/json.ts'
import { foldFacts } from '../model/fold-facts.ts'
import { foldedFacts } from '../model/fold-run.ts'
import { openRunFacts } from '../model/run-state.ts'
import type { RunFacts } from '../model/run-state.ts'
import type { SpendingLimits } from '../model/spending.ts'
import type { WantedStretch } from '../model/stretch.ts'
import type { Workflow } from '../model/workflow.ts'
import { shellWord } from '../model/shell-word.ts'
import { openNotifier } from '../notify/notify.ts'
import { emptyOut } from '../platform/discard.ts'
import { takeLock } from '../platform/lock.ts'
import type { HeldBy, Lock } from '../platform/lock.ts'
import { wallGit } from '../steps/wall-git.ts'
import type { Workplace } from '../steps/workplace.ts'
import { writeReport } from './goal-of.ts'
import type { Project } from './project.ts'
import { driveRun } from './run-session.ts'
import type { SessionEnd } from './run-session.ts'
import type { Surroundings } from './workbench.ts'

export interface RunOutcome {
  readonly end: SessionEnd
  readonly folder: RunFolder
  readonly state: RunFacts
  readonly repository: string
  readonly workflow: Workflow
}

/** A run as it is kept beside its frozen files: what resume needs and no workflow file says. */
export interface RunRecord {
  readonly values: JsonObject
  readonly mode?: string
  readonly time_limit_ms?: number
  readonly requested: Workplace['requested']
  readonly script?: string
}

export interface Opening {
  readonly project: Project
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly workplace: Workplace
  readonly record: RunRecord
  readonly opening: JsonObject & { readonly type: 'run.started' | 'run.resumed' }
  readonly cancelAtOnce?: boolean
  readonly wanted?: WantedStretch
  /** With the lock in hand, before anything is written: throws if the run is not what it was before. */
  readonly recheck?: () => Promise<void>
}

/** Takes the run's lock, drives it, and tells what the journal then says of it. */
export async function openSession(open: Opening): Promise<RunOutcome> {
  const { project, folder, surroundings, workplace, record, opening } = open
  const lock = await lockRun(folder)
  let facts = openRunFacts()
  const gitRoom = wallGit(workplace)
  try {
    await open.recheck?.()
    const { notify = [] } = workplace.settings
    const limits = limitsOf(workplace.settings)
    const asked = record.time_limit_ms === undefined ? {} : { timeLimitMs: record.time_limit_ms }
    const timeMs = timeLimitOf({ workflow: workplace.workflow, ...asked }, record.values)
    surroundings.onLimits?.(timeMs === undefined ? limits : { ...limits, timeMs })
    const { env, ring } = surroundings
    const notifier = openNotifier(notify, { run: folder.id, env, ...(ring ? { ring } : {}) })
    const end = await driveRun({
      notifier,
      ...{
        workplace,
        folder,
        values: record.values,
        clock: surroundings.clock,
        secrets: secretsIn(surroundings.env),
        opening,
        limits,
      },
      ...{ interrupt: surroundings.interrupt, cancelAtOnce: open.cancelAtOnce === true },
      onRecorded(lines) {
        facts = foldFacts(facts, lines)
        if (surroundings.onRecorded) for (const line of lines) surroundings.onRecorded(line)
      },
      onUndone(lines) {
        facts = foldedFacts(lines)
      },
      onLine(line) {
        // An undo is never written while a run is driven.
        facts = foldFacts(facts, [line])
        if (line.type === 'run.waiting') forgetLooks()
        notifier.tell(line)
        surroundings.onLine(line)
      },
      ...(record.mode === undefined ? {} : { mode: record.mode }),
      ...asked,
      ...(open.wanted ? { wanted: open.wanted } : {}),
      ...(surroundings.askPerson ? { askPerson: surroundings.askPerson } : {}),
    })
    await writeReport(folder, workplace.workflow)
    return {
      end,
      folder,
      state: facts,
      repository: project.repo.root,
      workflow: workplace.workflow,
    }
  } finally {
    await looksEnded()
    forgetLooks()
    await dropDraft({ stateDir: folder.git })
    await emptyOut()
    gitRoom.close()
    await lock.release()
  }
}

function limitsOf({ maxCost, maxTokens }: Workplace['settings']): SpendingLimits {
  return {
    ...(maxCost === undefined ? {} : { cost: maxCost }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
  }
}

async function lockRun(folder: RunFolder): Promise<Lock> {
  const lock = await takeLock(folder.lock)
  if (lock.type === 'held') throw alreadyRunning(folder, lock)
  return lock
}

function alreadyRunning(folder: RunFolder, { pid, host }: HeldBy): FailureError {
  const isHere = host === hostname()
  return new FailureError({
    code: 'run.running',
    message: `Run ${folder.id} is being run by process ${pid}${isHere ? '' : ` on ${host}`} already.`,
    next: isHere
      ? `baton logs ${folder.id} --follow   (or: baton cancel ${folder.id})`
      : `Look there. If ${host} runs it no more: rm ${shellWord(folder.lock)}; baton resume ${folder.id}`,
  })
}
