import type { RunState, StepState } from '../model/run-state.ts'
import { firstLine, timeBetween, wallsWords, workTime } from './words.ts'
import type { ReportTable } from './words.ts'

/** A run as Markdown, for a comment, a mail or a file beside the work. */
export function reportText(state: RunState, tables: readonly ReportTable[] = []): string {
  return [
    `# Run ${state.run}: ${firstLine(state.task)}`,
    '',
    ...rowsOf(state).map(([name, value]) => `- **${name}**: ${oneLine(value)}`),
    ...['', '## Task', '', quoted(state.task), '', '## Steps', ''],
    ...['| step | role | outcome | time |', '|---|---|---|---|'],
    ...state.steps.map(stepRow),
    ...evidence(state.steps),
    ...listed('Artifacts', Object.values(state.artifacts).flat()),
    ...listed('Backlog', state.backlog),
    ...tables.flatMap(tableOf),
    '',
  ].join('\n')
}

function rowsOf(state: RunState): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [
    ['status', state.reason === '' ? state.status : `${state.status}: ${state.reason}`],
    ['workflow', state.mode === '' ? state.workflow : `${state.workflow} (${state.mode})`],
    ['branch', state.branch],
    ['base', state.base],
    ['walls', wallsWords(state.walls)],
    ['time', workTime(state)],
    ['waits for', state.question],
  ]
  return rows.filter(([, value]) => value !== '')
}

function stepRow(step: StepState): string {
  const end = step.outcome === '' ? 'under way' : step.outcome
  const label = step.label === '' || step.label === step.outcome ? '' : `, ${step.label}`
  return `| ${nameOf(step)} | ${step.role} | ${end}${label} | ${timeBetween(step.startedAt, step.finishedAt)} |`
}

function evidence(steps: readonly StepState[]): string[] {
  const lines = steps.flatMap((step) =>
    step.gates.map(
      ({ gate, met, facts }) =>
        `- ${nameOf(step)}, ${gate}: ${met ? 'met' : '**not met**'} (${oneLine(facts)})`,
    ),
  )
  return lines.length === 0 ? [] : ['', '## Evidence', '', ...lines]
}

function listed(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${oneLine(item)}`)]
}

function tableOf({ title, note, header, rows }: ReportTable): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`
  const table = [line(header), line(header.map(() => '---')), ...rows.map(line)]
  return [...['', `## ${title}`, ''], ...(note === '' ? [] : [note, '']), ...(rows.length === 0 ? [] : table)]
}

function nameOf({ step, visit }: StepState): string {
  return visit > 1 ? `${step} (round ${visit})` : step
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim()
}
