import { openContext } from '../../src/journal/durable-context.ts'
import type { ContextOptions } from '../../src/journal/durable-context.ts'
import type { Journal } from '../../src/journal/open-journal.ts'
import { recordedOf } from '../../src/journal/recorded.ts'
import type { DurableContext, PersonMessage } from '../../src/model/durable.ts'
import type { JournalLine } from '../../src/model/event.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { fixedClock } from '../../src/platform/clock.ts'

export type MemoryOptions = Pick<ContextOptions, 'askPerson'> & {
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

/** A journal in memory under the real context: for tests that need hundreds of runs, not a disk. */
export interface MemoryRun {
  readonly lines: JournalLine[]
  readonly inbox: PersonMessage[]
  open(options?: MemoryOptions): DurableContext
}

/** With lines, a run that was cut off after them. */
export function memoryRun(lines: readonly JournalLine[] = []): MemoryRun {
  const written = [...lines]
  const inbox: PersonMessage[] = []
  const aside = new Set<string>()
  return {
    lines: written,
    inbox,
    open({ clock = fixedClock(new Date(0)), signal = new AbortController().signal, askPerson } = {}) {
      return openContext({
        ...{ runId: '1', journal: journalOn(written, clock), recorded: recordedOf(written), clock, signal },
        inbox: {
          take: async (recorded) => inbox.find(({ id }) => !recorded.has(id) && !aside.has(id)),
          putAside: async ({ id }) => void aside.add(id),
        },
        ...(askPerson ? { askPerson } : {}),
      })
    },
  }
}

function journalOn(lines: JournalLine[], clock: Clock): Journal {
  const append: Journal['append'] = async ({ role, type, data }) => {
    const line: JournalLine = { ts: clock.now().toISOString(), role, type, data }
    // As a file would have it: nothing that is shared with the writer.
    lines.push(JSON.parse(JSON.stringify(line)) as JournalLine)
  }
  return { append, appendLazily: append, clean: (value) => value, close: async () => undefined }
}
