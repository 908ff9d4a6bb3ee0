import { dirname, extname, resolve } from 'node:path'
import { readWholeJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import { exitCodes, FailureError } from '../../model/failure.ts'
import { errorCode } from '../../platform/errno.ts'
import { fillFolder, writeFileAtomic } from '../../platform/files.ts'
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
  await writeReport(file, text, folder.id)
  output.result(`Report of run ${folder.id}: ${file}`, { ...document, report: file })
  return 0
}

/** With the folders on the way to it, as tools do that write reports. */
async function writeReport(file: string, text: string, run: string): Promise<void> {
  try {
    await fillFolder(dirname(file), () => writeFileAtomic(file, text))
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error
    // The rest of the message is a call and a name that nobody has typed.
    const [reason = ''] = error.message.split(',', 1)
    throw new FailureError({
      code: 'system.refused',
      message: `${reason}: the report cannot be written to ${file}`,
      next: `Choose another place, for example: baton report ${run} --output report.html`,
      exitCode: exitCodes.failed,
      cause: error,
    })
  }
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
