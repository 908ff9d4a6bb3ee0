import { join } from 'node:path'
import { loadFrozen } from '../config/freeze.ts'
import { readJournalBatches, readWholeJournal } from '../journal/read-journal.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { foldPlan, openPlanFold } from '../model/fold-plan.ts'
import type { GoalFacts } from '../model/plan-facts.ts'
import type { RunState } from '../model/run-state.ts'
import { countUndos } from '../model/undone.ts'
import type { Workflow } from '../model/workflow.ts'
import { writeFileAtomic } from '../platform/files.ts'
import { goalReport, reportDocument } from '../views/goal-report.ts'

export interface Goal {
  readonly facts: GoalFacts
  readonly workflow: Workflow
}

/** What a run has come to in its workflow's own words. Undefined where the workflow has none. */
export async function goalOf(
  folder: RunFolder,
  { digest }: Pick<RunState, 'digest'>,
): Promise<Goal | undefined> {
  if (digest === '') return undefined
  const { workflow } = (await loadFrozen(folder.frozen, { digest })).loaded
  return workflow.state ? { workflow, facts: await factsOf(folder, workflow) } : undefined
}

/** Whatever the end of a process was: its report lies beside the run, for people and for machines. */
export async function writeReport(folder: RunFolder, workflow: Workflow): Promise<void> {
  if (!workflow.state) return
  const facts = await factsOf(folder, workflow)
  await writeFileAtomic(join(folder.dir, 'report.md'), goalReport(facts, workflow))
  const document = `${JSON.stringify(reportDocument(facts, workflow), undefined, 2)}\n`
  await writeFileAtomic(join(folder.dir, 'report.json'), document)
}

/** While the journal is read: that of a long run takes more memory than all else that the run needs. */
async function factsOf({ journal }: RunFolder, workflow: Workflow): Promise<GoalFacts> {
  const plan = openPlanFold(workflow)
  for await (const batch of readJournalBatches(journal)) {
    // What comes before an undo can only be left out by who has all of it.
    if (countUndos(batch) > 0) return foldPlan(await readWholeJournal(journal), workflow)
    for (const line of batch) plan.add(line)
  }
  return plan.facts()
}
