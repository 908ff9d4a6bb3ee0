import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import { present } from './present.ts'

/** `[HH:MM:SS] ROLE: message`, in local time (R001-142). */
export function terminalLine(line: JournalLine): string | undefined {
  const words = present(line)
  return words && `[${clockTime(line.ts)}] ${words.speaker}: ${words.text}`
}

/** Of a step that nobody has words for. */
export function stepLine({ type, data, ts }: JournalLine): string | undefined {
  const words = stepWords[type]?.(data)
  return words === undefined ? undefined : `[${clockTime(ts)}] ORCHESTRATOR: ${textOf(data['step'])} ${words}`
}

const stepWords: Readonly<Record<string, (data: JournalLine['data']) => string>> = {
  'step.started': ({ visit }) => (Number(visit ?? 1) > 1 ? `begins, round ${textOf(visit)}.` : 'begins.'),
  'step.finished': ({ outcome }) => `ended ${textOf(outcome)}.`,
}

/** `ROLE | what it says`: told apart from what the run says of it. */
export function activityLine(role: string, text: string): string {
  return `${role} | ${text}`
}

function clockTime(ts: string): string {
  const date = new Date(ts)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
