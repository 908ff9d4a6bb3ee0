import type { Command } from '../command.ts'
import { listEndedSteps, undoRun } from '../undo-run.ts'
import { columns } from '../../views/snapshot-table.ts'

export interface UndoFlags {
  readonly to?: string
}

export async function undo(command: Command, run: string, { to }: UndoFlags): Promise<number> {
  return to === undefined ? list(command, run) : undoTo(command, run, to)
}

async function list({ surroundings, output }: Command, run: string): Promise<number> {
  const ended = await listEndedSteps(surroundings, run)
  const rows = ended.map(({ key, outcome, label, commit }) => [
    ...[key, label === '' || label === outcome ? outcome : `${outcome}, ${label}`, commit.slice(0, 12)],
  ])
  const text =
    rows.length === 0
      ? `No step of run ${run} has ended yet: there is nothing to undo.`
      : `${columns([['STEP', 'ENDED', 'COMMIT'], ...rows])}\nGo back to the end of one: baton undo ${run} --to <step>`
  output.result(
    text,
    ended.map(({ after: _after, key, ...one }) => ({ name: key, ...one })),
  )
  return 0
}

async function undoTo({ surroundings, output }: Command, run: string, to: string): Promise<number> {
  const undone = await undoRun(surroundings, { run, to })
  const number = undone.snapshot.split('/').at(-1) ?? ''
  const back = `baton restore ${run} ${number} --into ../restored-${run}`
  const next = `baton resume ${run}`
  const text = [
    `Run ${run} is back at the end of ${undone.to}; its branch is at ${undone.commit.slice(0, 12)}.`,
    `What was there: ${back}`,
    `Go on: ${next}`,
  ]
  const { from, commit, snapshot } = undone
  output.result(text.join('\n'), { run, to: undone.to, from, commit, snapshot, back, next })
  return 0
}
