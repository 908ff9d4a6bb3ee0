import { eventTypes, isJournalLine } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { BrokenLineError, followJsonl, readJsonlBatches } from '../platform/read-jsonl.ts'
import type { JsonlBatch } from '../platform/read-jsonl.ts'

/** The journal's lines, oldest first, with flat memory. A torn last line is no line. */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  for await (const batch of readJournalBatches(path)) yield* batch
}

/** The same, a handful of lines at a time. */
export async function* readJournalBatches(path: string): AsyncGenerator<readonly JournalLine[]> {
  try {
    for await (const batch of readJsonlBatches(path)) yield* parsed(path, batch)
  } catch (error) {
    throw explained(path, error)
  }
}

/** All of them, for whoever needs them together. */
export async function readWholeJournal(path: string): Promise<JournalLine[]> {
  const batches: (readonly JournalLine[])[] = []
  for await (const batch of readJournalBatches(path)) batches.push(batch)
  return batches.flat()
}

/** What is there, then what comes, until the run ends or the signal does. */
export async function* followJournal(path: string, signal: AbortSignal): AsyncGenerator<JournalLine> {
  try {
    for await (const { value, line } of followJsonl(path, { signal, pollMs: 150 }))
      yield parseJournalLine(value, { path, line })
  } catch (error) {
    throw explained(path, error)
  }
}

/** One batch; where a line is not of a journal, first all before it. */
function* parsed(path: string, { values, line }: JsonlBatch): Generator<readonly JournalLine[]> {
  if (values.every(isJournalLine)) {
    yield values
    return
  }
  const bad = values.findIndex((value) => !isJournalLine(value))
  yield values.slice(0, bad).filter(isJournalLine)
  parseJournalLine(values[bad], { path, line: line + bad })
}

function explained(path: string, error: unknown): unknown {
  return error instanceof BrokenLineError ? broken(path, error.line, error) : error
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
