import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'

export interface Decision {
  readonly title: string
  readonly step: string
  readonly round: number
  readonly label: string
  readonly model: string
  readonly time: string
  readonly task: string
  readonly answer: JsonObject
}

/** The file that is kept of a decision whose role wrote none itself (C-17). */
export function decisionFile(decision: Decision): string {
  const { answer, label } = decision
  const feedback = textOf(answer['feedback'] ?? answer['reason'])
  const rest = Object.entries(answer).filter(
    ([key]) => !['verdict', 'feedback', 'reason', 'backlog_items'].includes(key),
  )
  return [
    `# ${decision.step}, round ${decision.round}: ${label}`,
    '',
    `- Verdict: **${label}**`,
    `- Role: ${decision.title}`,
    `- Model: ${decision.model}`,
    `- Time: ${decision.time}`,
    `- Task: ${decision.task.split('\n', 1)[0] ?? ''}`,
    ...rest.map(([key, value]) => `- ${key}: ${textOf(value)}`),
    '',
    '## Feedback',
    '',
    feedback === '' ? 'None.' : feedback.trim(),
    '',
  ].join('\n')
}
