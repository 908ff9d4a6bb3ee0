import { followJournal, readJournal } from '../journal/read-journal.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { JournalLine } from '../model/event.ts'
import { readHolder } from '../platform/lock.ts'

const ends = ['run.finished', 'run.waiting', 'run.paused', 'run.stopped', 'run.undone']

/** What is there, then what comes, until the run ends or waits, or nobody is running it any more. */
export async function* followRun(folder: RunFolder, interrupt: AbortSignal): AsyncGenerator<JournalLine> {
  let known = 0
  const there = readJournal(folder.journal)
  while ((await there.next()).done !== true) known += 1
  const gone = new AbortController()
  const timer = watchProcess(folder, gone)
  try {
    let seen = 0
    for await (const line of followJournal(folder.journal, AbortSignal.any([interrupt, gone.signal]))) {
      yield line
      seen += 1
      // A question in the middle was answered long ago.
      if (seen >= known && ends.includes(line.type)) return
    }
  } finally {
    clearInterval(timer)
  }
}

/** Gone at two looks, a while apart: in between the last lines that the process wrote have been read. */
function watchProcess(folder: RunFolder, gone: AbortController): NodeJS.Timeout {
  let wasGone = false
  const look = async (): Promise<void> => {
    const isGone = (await readHolder(folder.lock))?.alive !== true
    if (isGone && wasGone) gone.abort()
    wasGone = isGone
  }
  return setInterval(() => void look(), 500)
}
