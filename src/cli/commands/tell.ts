import { readState } from '../../journal/read-state.ts'
import { findRun } from '../../journal/run-folder.ts'
import { FailureError } from '../../model/failure.ts'
import { isOver } from '../../model/run-state.ts'
import { stoppedText } from '../../views/stopped.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import { resumeRun } from '../resume-run.ts'
import { stop } from '../stop-run.ts'
import { tellRun } from '../tell-run.ts'
import type { Told } from '../tell-run.ts'

/** approve, reject, answer: stored for the run's one writer, who records it. */
export async function tell({ surroundings, output }: Command, told: Told): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const stored = await tellRun(runsDir, told)
  const { verb, run, next } = stored
  output.result(`Stored '${verb}' for run ${run}.\nNext: ${next}`, { ...stored })
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
  const { status, branch } = await readState(folder)
  // It was on its last steps, and has not heard in time.
  if (status !== 'cancelled') throw ended(folder.id, status)
  const text = `Run ${folder.id} is ${status}. Its branch ${branch || '(none)'} is as the last step left it.`
  const document = {
    run: folder.id,
    status,
    branch,
    step: state.currentStep,
    stopped: stopped.map((one) => ({ ...one })),
  }
  output.result(`${text}\n${stoppedText(state.currentStep, stopped)}`, document)
  return 0
}

function ended(run: string, status: string): FailureError {
  return new FailureError({
    code: 'run.finished',
    message: `Run ${run} has ended already (${status}).`,
    next: `baton show ${run}`,
  })
}
