import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { readdir } from '../platform/quick-files.ts'
import type { TaskWorkspace } from './task-workspace.ts'

const manyPerFolder = 8

/**
 * Whether so much is new in a git directory that it should cross as one pack. Estimated from one of 256 folders, as
 * `git gc --auto` does. A pack per step would slow down all later reading, so what was there when something crossed
 * before does not count again: the engine's directory keeps everything that a run has ever looked at.
 */
export async function isLargeShipment(task: TaskWorkspace, from: string): Promise<boolean> {
  const objects = join(from, 'objects')
  const [sample, packs] = await Promise.all(['17', 'pack'].map((name) => namesIn(join(objects, name))))
  const now = { sample: new Set(sample), packs: new Set(packs?.filter((name) => name.endsWith('.pack'))) }
  const shipped = shippedBefore.get(task) ?? new Map<string, Contents>()
  const before = shipped.get(from)
  shippedBefore.set(task, shipped.set(from, now))
  return countNew(now.sample, before?.sample) > manyPerFolder || countNew(now.packs, before?.packs) > 0
}

interface Contents {
  readonly sample: ReadonlySet<string>
  readonly packs: ReadonlySet<string>
}

/** By the directory that was looked at. Another process begins without: it may make one pack that was not needed. */
const shippedBefore = new WeakMap<TaskWorkspace, Map<string, Contents>>()

function countNew(names: ReadonlySet<string>, before: ReadonlySet<string> = new Set()): number {
  return [...names].filter((name) => !before.has(name)).length
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await unlessMissing(readdir(folder))) ?? []
}
