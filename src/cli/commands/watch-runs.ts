import type { RunGlance } from '../../journal/glance.ts'
import { exitCodes } from '../../model/failure.ts'
import { runsTable } from '../../views/run-summary.ts'
import { glanceAtAll } from '../all-runs.ts'
import type { Command } from '../command.ts'
import { limitingFlag } from '../duration-flag.ts'
import { openProject } from '../project.ts'
import { runBrief } from '../run-document.ts'
import { untilNow } from '../state-of.ts'

/** All runs of the repository: the table, then a line for each that has come to something else. */
export async function watchRuns(
  { surroundings, output }: Command,
  flags: { readonly every?: string; readonly once?: boolean },
): Promise<number> {
  const everyMs = limitingFlag(flags.every ?? '2s', 'Write 2s, 30s or 1m, for example: --every 10s')
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const first = await glanceAtAll(runsDir)
  const table = runsTable(first.map((state) => untilNow(state, surroundings.clock)))
  if (flags.once === true) {
    output.result(table, first.map(runBrief))
    return 0
  }
  output.line(table.trimEnd())
  for (let known = seenIn(first); ;) {
    await surroundings.clock.sleep(everyMs, surroundings.interrupt).catch(() => undefined)
    if (surroundings.interrupt.aborted) return exitCodes.interrupted
    const now = await glanceAtAll(runsDir)
    for (const state of now.toReversed())
      if (known.get(state.run) !== lineOf(state)) output.line(lineOf(state))
    known = seenIn(now)
  }
}

function seenIn(states: readonly RunGlance[]): Map<string, string> {
  return new Map(states.map((state) => [state.run, lineOf(state)]))
}

function lineOf({ run, status, currentStep, question }: RunGlance): string {
  const at = status === 'running' || status === 'waiting' ? ` at '${currentStep}'` : ''
  const asks = status === 'waiting' ? `: ${question.split('\n', 1)[0] ?? ''}` : ''
  return `Run ${run} is ${status}${at}${asks}`
}
