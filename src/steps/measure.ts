import { join, posix } from 'node:path'
import { complexityLevels, complexityOf } from '../model/complexity.ts'
import type { DurableContext } from '../model/durable.ts'
import { matchesAny } from '../model/glob.ts'
import { textOf } from '../model/json.ts'
import { readTaskList } from '../model/task-list.ts'
import { expandValue } from '../model/template.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readInside } from '../platform/inside-file.ts'
import { readdir } from '../platform/quick-files.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Performed } from './agent-step.ts'
import { startingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'

type Measured = { readonly specs: number; readonly tasks: number }

/** How complex the work is, by what was written about it; what a person has said counts more. */
export async function measureWork(context: DurableContext, visit: ActionVisit): Promise<Performed> {
  const { site, request, last } = visit
  const { key, step, values } = request
  const start = await startingPoint(context, site, { key, last })
  const given = (name: string): string => textOf(expandValue(step.with[name] ?? '', values))
  const { specs, tasks } = await context.step<Measured>(`${key}/measured`, async () => ({
    specs: await countFiles(site, given('specs')),
    tasks: await countOpen(site, given('tasks')),
  }))
  const said = complexityLevels.find((level) => level === given('given'))
  const level = said ?? complexityOf(specs + tasks)
  const facts = { level, specs, tasks, measured: said === undefined }
  const result = { outcome: 'ok', label: level, writes: [], gates: [], facts, commit: start.tip } as const
  return { result, last: { tip: start.tip, tree: start.tree } }
}

async function countFiles({ task }: Site, pattern: string): Promise<number> {
  const dir = posix.dirname(pattern)
  const names = (await unlessMissing(readdir(join(task.worktree, dir)))) ?? []
  return names.filter((name) => matchesAny(posix.join(dir, name), [pattern])).length
}

async function countOpen({ task }: Site, path: string): Promise<number> {
  const text = path === '' ? undefined : await readInside(task.worktree, path, { maxBytes: 1_000_000 })
  return readTaskList(text ?? '').tasks.filter(({ done }) => !done).length
}
