import type { RunState, StepState } from '../model/run-state.ts'
import { formatDuration } from '../model/duration.ts'
import { columns, snapshotTable } from './snapshot-table.ts'
import type { SnapshotRow } from './snapshot-table.ts'
import { wallsWords, workTime } from './words.ts'

/** `baton show`: what was asked, where it stands, what every step came to, what to do next. */
export function runSummary(state: RunState, next: string, snapshots: readonly SnapshotRow[] = []): string {
  return [
    `Run ${state.run}: ${firstLine(state.task)}`,
    `  status     ${state.status}${state.reason === '' ? '' : `: ${firstLine(state.reason)}`}`,
    `  workflow   ${state.workflow}${state.mode === '' ? '' : ` (${state.mode})`}`,
    `  branch     ${state.branch || 'none yet'}${state.base === '' ? '' : `, to be merged into ${state.base}`}`,
    `  worktree   ${state.worktree || 'none yet'}`,
    ...wallsLine(state.walls),
    `  time       ${workTime(state)}`,
    'Steps',
    ...state.steps.flatMap((step) =>
      stepLines(step, atWork.includes(state.status) ? 'under way' : 'broken off'),
    ),
    ...section('Artifacts', Object.values(state.artifacts).flat()),
    ...section('Backlog', state.backlog),
    ...snapshotSection(state.run, snapshots),
    ...(state.question === ''
      ? []
      : [
          'Question',
          ...state.question
            .split('\n')
            .slice(0, 6)
            .map((line) => `  ${line}`),
        ]),
    ...(next === '' ? [] : [`Next: ${next}`]),
    '',
  ].join('\n')
}

function wallsLine(walls: string): string[] {
  return walls === '' ? [] : [`  walls      ${wallsWords(walls)}`]
}

export function runsTable(states: readonly RunInList[]): string {
  const rows = states.map((state) => [
    ...[state.run, state.status, state.workflow, state.currentStep || '-'],
    ...[elapsed(state.startedAt, state.updatedAt), firstLine(state.task)],
  ])
  return `${columns([header, ...rows])}\n`
}

/** What the table shows of a run. */
type RunInList = Pick<
  RunState,
  'run' | 'status' | 'workflow' | 'currentStep' | 'startedAt' | 'updatedAt' | 'task'
>

const header = ['RUN', 'STATUS', 'WORKFLOW', 'STEP', 'TIME', 'TASK']

const atWork: readonly string[] = ['running', 'waiting', 'paused']

function stepLines(step: StepState, unended: string): string[] {
  const id = step.item === undefined ? step.step : `${step.item}: ${step.step}`
  const name = step.visit > 1 ? `${id} (round ${step.visit})` : id
  const end =
    step.outcome === ''
      ? unended
      : step.label === '' || step.label === step.outcome
        ? step.outcome
        : `${step.outcome}, ${step.label}`
  const head =
    `  ${name.padEnd(26)} ${step.role.padEnd(22)} ${end.padEnd(20)} ${elapsed(step.startedAt, step.finishedAt)}`.trimEnd()
  const gates = step.gates.map(
    ({ gate, met, facts }) => `      ${met ? 'met' : 'NOT MET'} ${gate}: ${firstLine(facts)}`,
  )
  const why = step.outcome === 'ok' || step.reason === '' ? [] : [`      ${firstLine(step.reason)}`]
  return [head, ...gates, ...(gates.some((line) => line.includes('NOT MET')) ? [] : why)]
}

const shownSnapshots = 5

/** The newest ones: every commit that was brought in is one. */
function snapshotSection(run: string, snapshots: readonly SnapshotRow[]): string[] {
  if (snapshots.length === 0) return []
  const shown = snapshots.slice(-shownSnapshots)
  const earlier = snapshots.length - shown.length
  return [
    ...section('Snapshots', snapshotTable(shown).split('\n')),
    ...(earlier === 0 ? [] : [`  ${earlier} earlier ones: baton restore ${run}`]),
    `  Get one back: baton restore ${run} <n> --into <dir>`,
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function elapsed(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from)
  return Number.isFinite(ms) && ms >= 0 ? formatDuration(ms) : ''
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return line.length > 160 ? `${line.slice(0, 157)}...` : line
}
