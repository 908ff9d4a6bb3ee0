import { isJsonObject, textOf } from '../model/json.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { Site } from './workplace.ts'

export function mergeMessage(site: Site): string {
  return `Merge ${site.base.name} into ${site.task.branch}`
}

/** One commit per step with the role named, for people who read the log; trailers for those who search it. */
export function commitMessage(
  site: Site,
  request: StepRequest,
  what: { title: string; label: string },
): string {
  const { step, visit, key, values } = request
  const round = visit > 1 ? ` (round ${visit})` : ''
  const task = textOf(values['task']).split('\n', 1)[0] ?? ''
  return [
    `${what.title}: ${step.id}${itemOf(values)}${what.label === '' ? '' : ` ${what.label}`}${round}`,
    '',
    `Task: ${task}`,
    '',
    `Baton-Run: ${site.folder.id}`,
    `Baton-Step: ${key}`,
    `Baton-Role: ${what.title}`,
    '',
  ].join('\n')
}

/** In a list, which item it was for. */
function itemOf({ item }: StepRequest['values']): string {
  const id = isJsonObject(item) ? textOf(item['id']) : ''
  return id === '' ? '' : ` ${id}`
}
