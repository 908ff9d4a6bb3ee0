import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeCommitDiff } from '../git/diff.ts'
import type { Repository } from '../git/repository.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { JournalLine } from '../model/event.ts'
import type { RunState } from '../model/run-state.ts'
import { standingLines } from '../model/undone.ts'
import { spendingOf } from '../model/usage.ts'
import { readHead } from '../platform/read-head.ts'
import { pageSteps } from '../views/page-steps.ts'
import type { PageSource } from '../views/report-page.ts'
import { reportTables } from '../views/report-tables.ts'
import type { ReportTable } from '../views/words.ts'
import { decisionsOf } from './run-decisions.ts'

/** Of each prompt, answer and diff: a page has to open on a phone. */
const largestText = 200_000

/** Everything the page shows, gathered: the journal, the files it names, and what its commits changed. */
export async function pageSource(repo: Repository, folder: RunFolder, state: RunState): Promise<PageSource> {
  const all = await readWholeJournal(folder.journal)
  const lines = standingLines(all)
  const texts = new Map<string, string>()
  const diffs = new Map<string, string>()
  // A diff may be larger than memory should hold: git writes it, and its beginning is read.
  const scratch = join(folder.dir, `report-${process.pid}.diff`)
  for (const { calls, commits } of pageSteps(lines)) {
    for (const path of calls.flatMap(({ prompt, answer }) => [prompt, answer])) {
      const text = path === '' ? undefined : await readHead(path, largestText)
      if (text !== undefined) texts.set(path, text)
    }
    for (const commit of commits) {
      const kept = await writeCommitDiff(repo, commit, scratch)
      const text = kept ? await readHead(scratch, largestText) : undefined
      if (text !== undefined) diffs.set(commit, text)
    }
  }
  await rm(scratch, { force: true })
  return { state, lines, texts, diffs, tables: await tablesOf(all) }
}

/** Undone steps included: what they used is used, and what they tried was tried. */
export async function tablesOf(lines: readonly JournalLine[]): Promise<readonly ReportTable[]> {
  return reportTables(spendingOf(lines), await decisionsOf(lines))
}
