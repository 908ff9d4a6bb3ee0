import type { DurableContext } from '../model/durable.ts'
import type { ListMarks, ListRequest } from '../model/step-result.ts'
import { markTasks, readTaskList } from '../model/task-list.ts'
import type { TaskList } from '../model/task-list.ts'
import { readInside, writeInside } from '../platform/inside-file.ts'
import type { Performed } from './agent-step.ts'
import { commitOwn } from './engine-commit.ts'
import type { Committed } from './engine-commit.ts'
import { startingPoint } from './starting-point.ts'
import type { LastKnown } from './starting-point.ts'
import type { Site } from './workplace.ts'

const largestList = 1_000_000

/** As it stands in the worktree: a person may have changed it a moment ago. */
export async function readList(context: DurableContext, site: Site, list: ListRequest): Promise<TaskList> {
  const read = async (): Promise<TaskList> => {
    const text = await readInside(site.task.worktree, list.path, { maxBytes: largestList })
    if (text === undefined) return { tasks: [], problems: [{ line: 1, message: 'the file does not exist' }] }
    return readTaskList(text)
  }
  return context.step(`${list.key}/items`, async () => {
    const { tasks, problems } = await read()
    return { tasks: [...tasks], problems: problems.map((problem) => ({ ...problem })) }
  })
}

/** One commit for what is ticked, and none where nothing is. */
export async function markList(
  context: DurableContext,
  { site, last }: { readonly site: Site; readonly last: LastKnown },
  { key, path, done, open }: ListMarks,
): Promise<{ readonly commit: string; readonly last: Performed['last'] }> {
  const start = await startingPoint(context, site, { key, last })
  const { tip, tree } = await context.step<Committed>(`${key}/ticked`, async () => {
    const { worktree } = site.task
    const text = await readInside(worktree, path, { maxBytes: largestList })
    const marked = text === undefined ? undefined : markTasks(text, { done, open })
    // After a crash it may be marked already, and not yet committed.
    if (marked !== undefined && marked !== text)
      await writeInside(worktree, path, marked, { maxBytes: largestList })
    return commitOwn(site, start, tickMessage(site, { key, path, done }))
  })
  if (tip !== start.tip) {
    const data = { step: key, commit: tip, by: 'engine' }
    await context.record(`${key}/commit`, { type: 'commit.made', role: 'ORCHESTRATOR', data })
  }
  return { commit: tip, last: { tip, tree } }
}

function tickMessage(site: Site, { key, path, done }: Pick<ListMarks, 'key' | 'path' | 'done'>): string {
  const what = done.length === 0 ? 'nothing done yet' : `${done.at(-1) ?? ''} is done`
  return `ORCHESTRATOR: ${path}: ${what}\n\nBaton-Run: ${site.folder.id}\nBaton-Step: ${key}\n`
}
