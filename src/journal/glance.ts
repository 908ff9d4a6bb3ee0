import type { JournalLine } from '../model/event.ts'
import { foldLines, openFold, foldedState } from '../model/fold-run.ts'
import type { RunFold } from '../model/fold-run.ts'
import type { RunState } from '../model/run-state.ts'
import { readEnds } from '../platform/read-ends.ts'
import { parseJournalLine } from './read-journal.ts'
import type { RunFolder } from './run-folder.ts'
import { readState } from './read-state.ts'

/** What a list of runs says of one of them. Its pauses only the whole journal tells. */
export type RunGlance = Omit<RunState, 'steps' | 'artifacts' | 'backlog' | 'pausedMs'>

const firstTry = 2048

/**
 * Read from both ends of the journal, so that a list costs the same however long its runs were: the beginning
 * says what was asked, the end what has become of it.
 */
export async function glanceAt(folder: RunFolder): Promise<RunGlance> {
  for (let bytes = firstTry; ; bytes *= 8) {
    const ends = readEnds(folder.journal, bytes)
    const state = ends.isWhole ? 'all' : glance(folder.journal, ends)
    if (state === 'all') return readState(folder)
    if (state) return state
  }
}

interface Ends {
  readonly head: readonly string[]
  readonly tail: readonly string[]
}

/** Undefined where the ends are too short to tell; `all` where only the whole can tell what is wrong with it. */
function glance(path: string, { head, tail }: Ends): RunState | 'all' | undefined {
  try {
    const last = tail.slice(Math.max(0, tail.findLastIndex(mayStartAStep))).map((text) => parse(path, text))
    if (last[0]?.type !== 'step.started') return undefined
    // What is left of a run that was taken back, only its whole story tells.
    if (last.some(({ type }) => type === 'run.undone')) return 'all'
    const begun = beginning(path, head)
    return begun && foldedState(foldLines(begun, last))
  } catch {
    return 'all'
  }
}

/** Who asked for what. Whatever the run has waited or stopped for since: it has gone on. */
function beginning(path: string, head: readonly string[]): RunFold | undefined {
  const end = head.findIndex((text) => text.includes('"type":"branch.created"'))
  if (end === -1) return undefined
  const told = head.slice(0, end + 1).filter((text) => !text.includes('"type":"checkpoint"'))
  const fold = foldLines(
    openFold(),
    told.map((text) => parse(path, text)),
  )
  return fold.facts.branch === '' ? undefined : fold
}

/** Cheaper than parsing each line. Within a text of the line the quotes would be escaped. */
function mayStartAStep(text: string): boolean {
  return text.includes('"type":"step.started"')
}

function parse(path: string, text: string): JournalLine {
  return parseJournalLine(JSON.parse(text), { path, line: 0 })
}
