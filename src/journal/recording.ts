import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { standingLines } from '../model/undone.ts'
import type { RunFolder } from './run-folder.ts'

/** A run as its journal tells it, for who plays it again. What was undone is no part of it. */
export interface Recording {
  readonly folder: RunFolder
  /** The repository that the run was made in. */
  readonly gitDir: string
  readonly lines: readonly JournalLine[]
  /** The value of a step of the run, by its key. */
  value(key: string): Json | undefined
  /** The fact that was recorded under a key. */
  fact(key: string): JournalLine | undefined
  /** What was noted last when the agent of a call was started, or had ended. */
  note(type: 'agent.started' | 'agent.finished', visit: string, call: number): JournalLine | undefined
}

export function openRecording(
  { folder, gitDir }: Pick<Recording, 'folder' | 'gitDir'>,
  lines: readonly JournalLine[],
): Recording {
  const standing = standingLines(lines)
  const facts = new Map<string, JournalLine>()
  const notes = new Map<string, JournalLine>()
  for (const line of standing) {
    const { type, data } = line
    if (typeof data['key'] === 'string') facts.set(data['key'], line)
    if (typeof data['at'] === 'string') notes.set(noteName(type, data['at'], Number(data['call'])), line)
  }
  return {
    ...{ folder, gitDir, lines: standing },
    value: (key) => facts.get(key)?.data['value'],
    fact: (key) => facts.get(key),
    note: (type, visit, call) => notes.get(noteName(type, visit, call)),
  }
}

function noteName(type: string, visit: string, call: number): string {
  return `${type} ${textOf(visit)} ${call}`
}
