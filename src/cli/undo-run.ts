import { loadFrozen } from '../config/freeze.ts'
import { openJournal } from '../journal/open-journal.ts'
import { requireOwnRun } from '../journal/own-runs.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import { readState } from '../journal/read-state.ts'
import { secretsIn } from '../journal/redact.ts'
import { findRun } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { engineEvent } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import { FailureError } from '../model/failure.ts'
import { endedSteps, standingLines, stepNamed, undoOf } from '../model/undone.ts'
import type { EndedStep, Undo } from '../model/undone.ts'
import { takeLock } from '../platform/lock.ts'
import { killOwnedBy } from '../platform/processes.ts'
import { reopenPlace } from '../steps/begin-run.ts'
import { prepareUndo, settleUndo, standsThere } from '../steps/undo-run.ts'
import { wallGit } from '../steps/wall-git.ts'
import { openProject } from './project.ts'
import type { Project } from './project.ts'
import { wallsAgain } from './raise-walls.ts'
import type { Surroundings } from './workbench.ts'

export interface UndoRequest {
  readonly run: string
  /** A step, with `#<visit>` if it is not the last one. */
  readonly to: string
}

/** What an undo can name. */
export async function listEndedSteps(surroundings: Surroundings, run: string): Promise<EndedStep[]> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  return endedSteps(standingLines(await readWholeJournal((await findRun(project.runsDir, run)).journal)))
}

/** Takes the run back to the end of a step. It holds the run's lock, and is its one writer meanwhile. */
export async function undoRun(surroundings: Surroundings, request: UndoRequest): Promise<Undo> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(project.runsDir, request.run)
  const state = await readState(folder)
  await requireOwnRun(project.repo, folder, state.digest)
  const walls = await wallsAgain(state)
  const lock = await takeLock(folder.lock)
  if (lock.type === 'held') throw isAlive(folder, lock.pid)
  const gitRoom = wallGit({ repo: project.repo, folder, walls })
  try {
    return await undo({ project, folder, surroundings, to: request.to })
  } finally {
    gitRoom.close()
    await lock.release()
  }
}

interface Undoing {
  readonly project: Project
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly to: string
}

async function undo({ project, folder, surroundings, to }: Undoing): Promise<Undo> {
  const lines = await readWholeJournal(folder.journal)
  const ended = endedSteps(standingLines(lines))
  const target = stepNamed(ended, to)
  if (target === undefined) throw unknownStep(folder, to, ended)
  await killOwnedBy(folder.dir)
  const { digest } = await readState(folder)
  const { settings } = await loadFrozen(folder.frozen, { digest })
  const place = await reopenPlace({ repo: project.repo, folder, settings }, lines)
  if (place === undefined) throw unknownStep(folder, to, [])
  // An undo that was cut short comes first; named again, it is the same one.
  await settleUndo(place.task, folder, lines)
  const last = lines.at(-1)
  const earlier = last?.type === 'run.undone' ? undoOf(last) : undefined
  if (earlier?.to === target.key && (await standsThere(place.task, earlier))) return earlier
  const undone = await prepareUndo({ ...place, target, lines })
  const line = await record({ folder, surroundings, undone })
  await settleUndo(place.task, folder, [...lines, line])
  return undone
}

interface Recording {
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly undone: Undo
}

/** From this line on it has happened: whatever is cut short afterwards is made good by `undo` or `resume`. */
async function record({ folder, surroundings, undone }: Recording): Promise<JournalLine> {
  let written: JournalLine | undefined
  const journal = await openJournal({
    ...{ path: folder.journal, clock: surroundings.clock, secrets: secretsIn(surroundings.env) },
    onLine: (line) => (written = line),
  })
  try {
    await journal.append(engineEvent('run.undone', undone))
  } finally {
    await journal.close()
  }
  if (written === undefined) throw new Error('a journal tells of every line that it wrote')
  return written
}

function isAlive(folder: RunFolder, pid: number): FailureError {
  return new FailureError({
    code: 'run.running',
    message: `Run ${folder.id} is alive (process ${pid}): nothing is undone under its feet.`,
    next: `baton cancel ${folder.id}   (then undo; a cancelled run goes on from there)`,
  })
}

function unknownStep(folder: RunFolder, asked: string, ended: readonly EndedStep[]): FailureError {
  const names = ended.map(({ key }) => key)
  return new FailureError({
    code: 'undo.step',
    message: `Run ${folder.id} has no step '${asked}' that has ended.`,
    next:
      names.length === 0
        ? `baton show ${folder.id}   (no step has ended yet)`
        : `baton undo ${folder.id} --to <step>, one of: ${names.slice(-12).join(', ')}`,
  })
}
