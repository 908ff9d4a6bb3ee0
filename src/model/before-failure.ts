import type { JournalLine } from './event.ts'
import { textOf } from './json.ts'
import { endedSteps } from './undone.ts'
import type { EndedStep } from './undone.ts'

/**
 * Where a run stood before it came to what it failed at: the item, where that was one of a list, else the step.
 * Undefined where nothing had ended before. Of lines that stand.
 */
export function beforeFailure(standing: readonly JournalLine[]): EndedStep | undefined {
  const last = standing.findLast(({ type }) => type === 'step.finished')
  if (last === undefined || last.data['outcome'] === 'ok') return undefined
  const visit = textOf(last.data['key']).replace(/\/finished$/, '')
  const failed = last.data['kind'] === 'each' ? (failedItem(standing, visit) ?? visit) : visit
  const begun = standing.findLastIndex(({ data }) => data['key'] === `${failed}/started`)
  return endedSteps(standing.slice(0, Math.max(0, begun))).at(-1)
}

/** Of the list itself, not of one inside an item. */
function failedItem(standing: readonly JournalLine[], list: string): string | undefined {
  const line = standing.findLast(
    ({ type, data }) =>
      type === 'item.finished' && data['outcome'] !== 'ok' && parentOf(textOf(data['key'])) === list,
  )
  return line && textOf(line.data['key']).replace(/\/finished$/, '')
}

function parentOf(key: string): string {
  return key.split('/').slice(0, -2).join('/')
}
