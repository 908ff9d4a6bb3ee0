import type { JournalLine } from '../model/event.ts'
import type { Json } from '../model/json.ts'
import { printable } from '../model/outside-text.ts'
import type { LiveTerminal } from './live-terminal.ts'
import type { Activity } from '../model/activity.ts'
import { activityText } from '../views/live-activity.ts'
import { activityLine, terminalLine } from '../views/terminal-lines.ts'

/** Where a command writes: with `--json` one document on stdout and everything else on stderr. */
export interface Output {
  readonly json: boolean
  /** Progress, for people. */
  line(text: string): void
  /** The result: text for people, or the document. */
  result(text: string, document: Json): void
  /** What another process of ours has complained about. */
  complaint(text: string): void
  event(line: JournalLine): void
  /** What an agent is heard to do: the last word beside the spinner, or lines of their own. */
  activity(heard: Activity): void
}

export interface OutputOptions {
  readonly json: boolean
  /** Every line of every agent. */
  readonly verbose?: boolean
  readonly live?: LiveTerminal | undefined
}

export interface Streams {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

export function createOutput({ stdout, stderr }: Streams, how: OutputOptions): Output {
  const { json, verbose = false, live } = how
  const people = json ? stderr : stdout
  const line = (text: string): void => {
    if (live) live.print(printable(text))
    else people.write(`${printable(text)}\n`)
  }
  return {
    json,
    line,
    result(text, document) {
      live?.stop()
      if (json) stdout.write(`${jsonText(document)}\n`)
      else if (text !== '') stdout.write(printable(text.endsWith('\n') ? text : `${text}\n`))
    },
    complaint(text) {
      if (text !== '') stderr.write(printable(text))
    },
    event(fact) {
      const text = terminalLine(fact)
      if (text !== undefined) line(text)
      live?.event(fact)
    },
    activity(heard) {
      const text = activityText(heard.event)
      if (text === undefined) return
      live?.activity(text)
      // Without a terminal the words of an agent are lines too; its mere answer is told by the workflow.
      if (verbose || (!live && !json && !heard.isAnswer)) line(activityLine(heard.role, text))
    },
  }
}

/** JSON itself leaves some characters as they are that a terminal would obey. */
export function jsonText(document: Json): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(document, null, 2).replaceAll(/[\u007F-\u009F]/g, escaped)
}
