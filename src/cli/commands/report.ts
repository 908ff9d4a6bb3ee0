import { dirname, extname, resolve } from 'node:path'
import { readWholeJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import { FailureError } from '../../model/failure.ts'
import { ensureDirectory, writeFileAtomic } from '../../platform/files.ts'
import { goalReport, reportDocument } from '../../views/goal-report.ts'
import { reportPage } from '../../views/report-page.ts'
import { reportText } from '../../views/report-text.ts'
import type { Command } from '../command.ts'
import { goalOf } from '../goal-of.ts'
import { pageSource, tablesOf } from '../page-source.ts'
import { openProject } from '../project.ts'
import { runDocument } from '../run-document.ts'
import { stateOf } from '../state-of.ts'

export interface ReportFlags {
  readonly output?: string
}

/** A run for people who were not there: Markdown on the screen, or a file, its ending says which kind. */
export async function report(
  { surroundings, output }: Command,
  run: string | undefined,
  flags: ReportFlags,
): Promise<number> {
  const kind = kindOf(flags.output, run)
  const { runsDir, repo } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const state = await stateOf(folder)
  const goal = await goalOf(folder, state)
  const document = {
    ...runDocument(state),
    ...(goal ? { goal: reportDocument(goal.facts, goal.workflow) } : {}),
  }
  const words = `${goal ? `${goalReport(goal.facts, goal.workflow)}\n` : ''}${reportText(state, await tablesOf(await readWholeJournal(folder.journal)))}`
  if (flags.output === undefined) {
    output.result(words, document)
    return 0
  }
  const file = resolve(surroundings.cwd, flags.output)
  const text = kind === 'html' ? reportPage(await pageSource(repo, folder, state)) : words
  await ensureDirectory(dirname(file))
  await writeFileAtomic(file, text)
  output.result(`Report of run ${folder.id}: ${file}`, { ...document, report: file })
  return 0
}

function kindOf(file: string | undefined, run: string | undefined): 'html' | 'markdown' {
  const ending = file === undefined ? '.md' : extname(file).toLowerCase()
  if (ending === '.html' || ending === '.htm') return 'html'
  if (ending === '.md') return 'markdown'
  throw new FailureError({
    code: 'report.form',
    message: `A report is written as .html or .md, but the file is named '${file ?? ''}'.`,
    next: `baton report${run === undefined ? '' : ` ${run}`} --output report.html`,
  })
}
