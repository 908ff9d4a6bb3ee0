import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openContext } from '../../src/journal/durable-context.ts'
import { openInbox, sendMessage } from '../../src/journal/inbox.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import type { Journal } from '../../src/journal/open-journal.ts'
import { readJournal } from '../../src/journal/read-journal.ts'
import { readRecorded } from '../../src/journal/recorded.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { describeDurableContext } from './durable-context.ts'
import type { DurableRun } from './durable-context.ts'

const root = await mkdtemp(join(tmpdir(), 'baton-contract-'))
const open = new Set<Journal>()
let runs = 0
afterAll(async () => {
  await Promise.all([...open].map((journal) => journal.close()))
  await rm(root, { recursive: true, force: true })
})

async function linesOf(path: string): Promise<JournalLine[]> {
  const lines: JournalLine[] = []
  for await (const line of readJournal(path)) lines.push(line)
  return lines
}

async function newRun(): Promise<DurableRun> {
  const path = join(root, `${++runs}.log.jsonl`)
  const inbox = join(root, String(runs), 'inbox')
  let last: Journal | undefined
  return {
    async open({ clock = systemClock, signal = new AbortController().signal, askPerson } = {}) {
      if (last && open.delete(last)) await last.close()
      const journal = await openJournal({ path, clock, secrets: [] })
      open.add(journal)
      last = journal
      return openContext({
        ...{
          runId: '1',
          journal,
          recorded: await readRecorded(path, () => undefined),
          clock,
          signal,
          inbox: openInbox(inbox),
        },
        ...(askPerson ? { askPerson } : {}),
      })
    },
    facts: async () => (await linesOf(path)).filter(({ type }) => type !== 'checkpoint'),
    async tell(message) {
      await sendMessage(inbox, message)
    },
  }
}

describeDurableContext('the JSONL journal', { newRun })
