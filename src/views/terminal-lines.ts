import type { JournalLine } from '../model/event.ts'
import { present } from './present.ts'

/** `[HH:MM:SS] ROLE: message`, in local time (R001-142). */
export function terminalLine(line: JournalLine): string | undefined {
  const words = present(line)
  return words && `[${clockTime(line.ts)}] ${words.speaker}: ${words.text}`
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
