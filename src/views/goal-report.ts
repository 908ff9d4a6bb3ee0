import { formatDuration } from '../model/duration.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GoalFacts, ItemFacts, PlanFacts } from '../model/plan-facts.ts'
import type { Workflow } from '../model/workflow.ts'
import { costDocument, costLines } from './cost-table.ts'
import { goalState, metricsOf, planStatus, statusOf, stepStatus } from './goal-state.ts'

/** The report of a run for machines: its whole state, and what is left. */
export function reportDocument(facts: GoalFacts, workflow: Workflow): JsonObject {
  return {
    ...goalState(facts, workflow),
    reason: facts.reason,
    branch: facts.branch,
    base: facts.base,
    judgements: facts.judged.map(({ score, ...judged }) => ({ ...judged, score: score ?? null })),
    timeByPhase: Object.fromEntries(facts.phases),
    cost: costDocument(facts.spending),
    degraded: facts.degraded,
    left: leftOf(facts).map(({ id, value, reason, outcome }) => ({
      ...{ id, description: descriptionOf(value), reason },
      status: outcome === '' ? 'pending' : 'failed',
    })),
  }
}

/** The same for people, in Markdown: goal, end, plan with its sub-plans, counts, time, what is left. */
export function goalReport(facts: GoalFacts, workflow: Workflow): string {
  const { state = { status: {}, ends: {}, metrics: {}, item: {} } } = workflow
  const goal = textOf(facts.inputs['goal'] ?? facts.inputs['task'])
  return [
    `# Report of run ${facts.run}`,
    '',
    ...goal.split('\n').map((line) => `> ${line}`),
    '',
    ...partsOf(facts),
    `Status: ${statusOf(facts, state)}${facts.reason === '' ? '' : `. ${firstLine(facts.reason)}`}`,
    '',
    ...(facts.branch === '' ? [] : [`Branch: \`${facts.branch}\`, to be merged into \`${facts.base}\``, '']),
    ...facts.plans.flatMap((plan, index) => [`## Plan ${index + 1}`, '', ...planLines(plan, ''), '']),
    ...section(
      'Judged as a whole',
      facts.judged.map(
        ({ gate, verdict, score }) => `- ${gate}: ${verdict}${score === undefined ? '' : `, score ${score}`}`,
      ),
    ),
    ...section('Counts', tableOf(metricsOf(facts, state), String)),
    ...section('Time', [...timeLines(facts)]),
    ...section('Cost', costLines(facts.spending)),
    ...section(
      'Continued without',
      facts.degraded.map(({ step, key }) => `- ${step} (${key})`),
    ),
    ...section(
      'Left to do',
      leftOf(facts).map(({ id, value, reason }) => {
        const why = reason === '' ? '' : ` (${firstLine(reason)})`
        return `- ${id}: ${firstLine(descriptionOf(value))}${why}`
      }),
    ),
  ].join('\n')
}

/** What was asked for beside the goal as a list, such as its parts. */
function partsOf({ inputs }: GoalFacts): string[] {
  const parts = Object.values(inputs).flatMap((value) => (Array.isArray(value) ? value : []))
  return parts.length === 0 ? [] : [...parts.map((part: Json) => `- ${firstLine(textOf(part))}`), '']
}

function planLines(plan: PlanFacts, indent: string): string[] {
  const goal = textOf(plan.about['goal'])
  return [
    `${indent}${goal === '' ? plan.step : firstLine(goal)} (${planStatus(plan)})`,
    ...(indent === '' ? [''] : []),
    ...plan.items.flatMap((item) => itemLines(item, indent)),
  ]
}

function itemLines(item: ItemFacts, indent: string): string[] {
  const scores = [...item.scores].map(([gate, { verdict, score }]) => `${gate} ${score ?? verdict}`)
  const about = [
    stepStatus(item),
    ...(item.attempts > 1 ? [`${item.attempts} attempts`] : []),
    ...(scores.length === 0 ? [] : [`scores: ${scores.join(', ')}`]),
    ...(item.isUnverified ? ['unverified'] : []),
  ]
  const evidence = evidenceOf(item)
  return [
    `${indent}- **${item.id}** ${firstLine(descriptionOf(item.value))}: ${about.join('; ')}`,
    ...(evidence.length === 0 ? [] : [`${indent}  - evidence: ${evidence.join(', ')}`]),
    ...(item.outcome === 'ok' || item.reason === ''
      ? []
      : [`${indent}  - reason: ${firstLine(item.reason)}`]),
    ...item.plans.flatMap((plan) =>
      planLines(plan, `${indent}  - `).flatMap((line) => (line === '' ? [] : [reindent(line, indent)])),
    ),
  ]
}

/** Of a sub-plan the first line is an item of the list, the others stand below it. */
function reindent(line: string, indent: string): string {
  return line.replace(`${indent}  - - `, `${indent}    - `).replace(`${indent}  -   `, `${indent}      `)
}

function evidenceOf({ answers }: ItemFacts): string[] {
  return [...answers.values()].flatMap(({ evidence }) =>
    Array.isArray(evidence) ? evidence.filter((one): one is string => typeof one === 'string') : [],
  )
}

function timeLines({ phases, startedAt, endedAt, timeLimitMs }: GoalFacts): string[] {
  const whole = endedAt === undefined ? {} : { 'whole run': endedAt - startedAt }
  const limit = timeLimitMs === undefined ? {} : { limit: timeLimitMs }
  return tableOf({ ...Object.fromEntries(phases), ...whole, ...limit }, formatDuration)
}

function tableOf(values: Readonly<Record<string, number>>, format: (value: number) => string): string[] {
  const rows = Object.entries(values).map(([name, value]) => `| ${name} | ${format(value)} |`)
  return rows.length === 0 ? [] : ['| | |', '|---|---|', ...rows]
}

/** Items of the newest plan that did not end well, or never began. */
function leftOf({ plans }: GoalFacts): ItemFacts[] {
  return (plans.at(-1)?.items ?? []).filter(({ outcome }) => outcome !== 'ok')
}

function descriptionOf(value: ItemFacts['value']): string {
  return textOf(isJsonObject(value) ? (value['description'] ?? value['title']) : value)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, '']
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return line.length > 200 ? `${line.slice(0, 197)}...` : line
}
