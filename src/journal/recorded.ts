import type { JournalLine } from '../model/event.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { addPause } from '../model/paused.ts'
import type { Pauses } from '../model/paused.ts'
import { standingLines } from '../model/undone.ts'
import { readJournalBatches, readWholeJournal } from './read-journal.ts'

/** What a run needs of its journal in order to go on: of ten thousand lines their keys, and the values of its steps. */
export interface Recorded {
  readonly count: number
  /** By what their keys begin with; those of the run itself begin with nothing. */
  readonly branches: ReadonlyMap<string, RecordedBranch>
  readonly children: ReadonlyMap<string, Json>
  /** Also of those that were undone: what was said once is not said again. */
  readonly messageIds: ReadonlySet<string>
  readonly pauses: Pauses
  readonly undos: number
  /** All lines, of a run that was taken back: what they still say, only all of them tell. */
  readonly undone: readonly JournalLine[]
}

/** In the order in which they were asked for. A fact has a key too, and null for a value. */
export interface RecordedBranch {
  readonly keys: string[]
  readonly values: Json[]
}

/** Batch by batch, so that no more of a long journal is kept than is needed. */
export async function readRecorded(
  path: string,
  onLines: (lines: readonly JournalLine[]) => void,
): Promise<Recorded> {
  const taking = takeLines()
  for await (const batch of readJournalBatches(path)) {
    batch.forEach(taking.add)
    onLines(batch)
  }
  const recorded = taking.end()
  return recorded.undos === 0 ? recorded : withoutUndone(recorded, await readWholeJournal(path))
}

export function recordedOf(lines: readonly JournalLine[]): Recorded {
  const recorded = takeAll(lines)
  return recorded.undos === 0 ? recorded : withoutUndone(recorded, lines)
}

function withoutUndone(recorded: Recorded, undone: readonly JournalLine[]): Recorded {
  const { branches, children } = takeAll(standingLines(undone))
  return { ...recorded, branches, children, undone }
}

function takeAll(lines: readonly JournalLine[]): Recorded {
  const taking = takeLines()
  lines.forEach(taking.add)
  return taking.end()
}

interface Taking {
  readonly add: (line: JournalLine) => void
  readonly end: () => Recorded
}

function takeLines(): Taking {
  const branches = new Map<string, RecordedBranch>()
  const children = new Map<string, Json>()
  const messageIds = new Set<string>()
  const top = branchNamed(branches, '')
  let [count, undos] = [0, 0]
  let pauses: Pauses = { ms: 0 }
  let last = ''

  function addKey(key: string, value: Json): void {
    const cut = key.lastIndexOf('>') + 1
    const branch = cut === 0 ? top : branchNamed(branches, key.slice(0, cut))
    branch.keys.push(cut === 0 ? key : key.slice(cut))
    branch.values.push(value)
  }

  function addValue({ key, value = null, child }: JsonObject): void {
    if (isMessage(value)) messageIds.add(value.id)
    if (typeof key !== 'string') return
    if (child === true) children.set(key, value)
    else addKey(key, value)
  }

  function addFact({ type, ts, data: { key } }: JournalLine): void {
    if (typeof key === 'string') addKey(key, null)
    if (type === 'run.undone') undos += 1
    if (type === 'run.resumed') pauses = addPause({ ...pauses, last }, { type, ts })
  }

  return {
    add(line) {
      if (line.type === 'checkpoint') addValue(line.data)
      else addFact(line)
      count += 1
      last = line.ts
    },
    end: () => ({
      ...{ count, branches, children, messageIds, undos, undone: [] },
      pauses: count === 0 ? pauses : { ...pauses, last },
    }),
  }
}

function branchNamed(branches: Map<string, RecordedBranch>, name: string): RecordedBranch {
  const known = branches.get(name)
  if (known) return known
  const fresh: RecordedBranch = { keys: [], values: [] }
  branches.set(name, fresh)
  return fresh
}

function isMessage(value: Json): value is { readonly id: string } {
  return isJsonObject(value) && typeof value['verb'] === 'string' && typeof value['id'] === 'string'
}
