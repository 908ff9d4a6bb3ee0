import { readJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { JournalLine } from '../../model/event.ts'
import { spendingOf } from '../../model/usage.ts'
import { costDocument, costTable } from '../../views/cost-table.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'

export async function cost({ surroundings, output }: Command, run: string | undefined): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const lines: JournalLine[] = []
  for await (const line of readJournal(folder.journal)) {
    if (line.type === 'agent.started' || line.type === 'agent.finished') lines.push(line)
  }
  const rows = spendingOf(lines)
  output.result(costTable(folder.id, rows), { run: folder.id, ...costDocument(rows) })
  return 0
}
