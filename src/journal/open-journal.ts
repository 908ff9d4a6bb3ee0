import { basename } from 'node:path'
import type { JournalLine, RunEvent } from '../model/event.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Clock } from '../platform/clock.ts'
import { errorCode } from '../platform/errno.ts'
import { openJsonl } from '../platform/append-jsonl.ts'
import { redact } from './redact.ts'

/** The one writer of a run's journal. Whoever opens it holds the run's lock. */
export interface Journal {
  /** On disk, fdatasync'd, when it resolves. */
  append(event: RunEvent): Promise<void>
  /** Written in order; on disk with the next `append`. For facts that nothing is done because of. */
  appendLazily(event: RunEvent): Promise<void>
  /** A value as it will stand in the journal: a replay must see nothing else than the first run saw. */
  clean(value: Json): Json
  close(): Promise<void>
}

export interface JournalOptions {
  readonly path: string
  readonly clock: Clock
  readonly secrets: readonly string[]
  /** Told of every line once it is written. */
  readonly onLine?: (line: JournalLine) => void
}

export async function openJournal({ path, clock, secrets, onLine }: JournalOptions): Promise<Journal> {
  const writer = await openJsonl(path)
  const toLine = ({ role, type, data }: RunEvent): JournalLine => {
    const clean = redact(data, secrets)
    return { ts: clock.now().toISOString(), role, type, data: isJsonObject(clean) ? clean : {} }
  }
  return {
    async append(event) {
      const line = toLine(event)
      await writer.append(line).catch(unwritable(path))
      onLine?.(line)
    },
    async appendLazily(event) {
      const line = toLine(event)
      await writer.appendLazily(line).catch(unwritable(path))
      onLine?.(line)
    },
    clean: (value) => redact(value, secrets),
    close: () => writer.close(),
  }
}

/** Nothing is done any more once a fact cannot be recorded; half a line is cut off when the journal is opened again. */
function unwritable(path: string): (error: unknown) => never {
  return (error) => {
    if (errorCode(error) === undefined) throw error
    throw new FailureError({
      code: 'journal.unwritable',
      message: `The journal ${path} cannot be written: ${error instanceof Error ? error.message : ''}`,
      next: `Make room or make it writable, then: baton resume ${basename(path, '.log.jsonl')}`,
      exitCode: exitCodes.failed,
      cause: error,
    })
  }
}
