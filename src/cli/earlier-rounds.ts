import * as z from 'zod'
import type { Rounds } from '../forge/next-for-request.ts'
import { glanceAt } from '../journal/glance.ts'
import { readJournal } from '../journal/read-journal.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { JournalLine } from '../model/event.ts'
import { isOver } from '../model/run-state.ts'
import { asFound } from './state-of.ts'

const startedSchema = z.object({
  inputs: z.object({ heard: z.object({ pr: z.number(), ids: z.array(z.string()) }).optional() }),
})

/** What runs of this clone have been told about a pull request: their journals say so, and nothing else does. */
export async function earlierRounds(runsDir: string, pr: number): Promise<Omit<Rounds, 'limit'>> {
  const heard = new Set<string>()
  let count = 0
  let busy: string | undefined
  for (const id of await listRunIds(runsDir)) {
    const folder = runFolder(runsDir, id)
    const told = await heardBy(folder)
    if (told?.pr !== pr) continue
    count += 1
    for (const one of told.ids) heard.add(one)
    const state = await asFound(folder, await glanceAt(folder))
    if (!isOver(state)) busy = `run ${id} has begun on it and is ${state.status}`
  }
  return { heard, count, ...(busy === undefined ? {} : { busy }) }
}

async function heardBy(folder: RunFolder): Promise<{ pr: number; ids: string[] } | undefined> {
  return startedSchema.safeParse((await firstLine(folder))?.data).data?.inputs.heard
}

/** What a run was begun with. */
export async function firstLine({ journal }: RunFolder): Promise<JournalLine | undefined> {
  for await (const line of readJournal(journal)) return line
  return undefined
}
