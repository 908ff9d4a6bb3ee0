import { eventTypes, isJournalLine } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { BrokenLineError, followJsonl, readJsonl } from '../platform/jsonl.ts'
import type { JsonlLine } from '../platform/jsonl.ts'

/** The journal's lines, oldest first, with flat memory. A torn last line is no line. */
export function readJournal(path: string): AsyncGenerator<JournalLine> {
  return parsed(path, readJsonl(path))
}

/** What is there, then what comes, until the run ends or the signal does. */
export function followJournal(path: string, signal: AbortSignal): AsyncGenerator<JournalLine> {
  return parsed(path, followJsonl(path, { signal, pollMs: 150 }))
}

async function* parsed(path: string, lines: AsyncIterable<JsonlLine>): AsyncGenerator<JournalLine> {
  try {
    for await (const { value, line } of lines) yield parseJournalLine(value, { path, line })
  } catch (error) {
    if (error instanceof BrokenLineError) throw broken(path, error.line, error)
    throw error
  }
}

export function parseJournalLine(value: unknown, at: { path: string; line: number }): JournalLine {
  if (isJournalLine(value)) return value
  if (!isOfUnknownKind(value)) throw broken(at.path, at.line, new Error('not a line of a journal'))
  throw new FailureError({
    code: 'journal.newer',
    message: `${at.path}:${at.line}: a fact of a kind that this version does not know ('${value.type}').`,
    next: 'Use the version of Baton that wrote the journal, or a newer one: npm install -g @baton-run/baton@latest',
    exitCode: exitCodes.usage,
  })
}

function isOfUnknownKind(value: unknown): value is { type: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'ts' in value &&
    'type' in value &&
    typeof value.type === 'string' &&
    !(eventTypes as readonly string[]).includes(value.type)
  )
}

function broken(path: string, line: number, cause: unknown): FailureError {
  return new FailureError({
    code: 'journal.broken',
    message: `${path}:${line}: the journal is damaged here.`,
    next: `Look at the lines before it: head -n ${Math.max(1, line - 1)} '${path}' | tail -n 3`,
    exitCode: exitCodes.failed,
    cause,
  })
}
