import { join, posix } from 'node:path'
import { textOf } from '../model/json.ts'
import { expandValue } from '../model/template.ts'
import { unlessMissing } from '../platform/errno.ts'
import { lstatIfThere, readdir } from '../platform/quick-files.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Move } from './archive-moves.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'

export interface FolderArchive {
  readonly request: ActionVisit['request']
  readonly start: StartingPoint
  readonly folder: string
}

/** A folder as a whole, with the date before its name: `changes/add-auth` to `changes/archived/2026-11-16-add-auth`. */
export async function folderMoves(site: Site, { request, start, folder }: FolderArchive): Promise<Move[]> {
  const { worktree } = site.task
  const into = textOf(expandValue(request.step.with['into'] ?? '{archived}', request.values))
  const dated = posix.join(into, `${start.at.slice(0, 10)}-${posix.basename(folder)}`)
  const to = await freeFolder(worktree, dated)
  const files = await filesBelow(worktree, folder)
  return files.map((from) => ({ from, to: posix.join(to, posix.relative(folder, from)) }))
}

/** Two changes of one name on one day are two folders. */
async function freeFolder(worktree: string, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`
    if ((await lstatIfThere(join(worktree, folder))) === undefined) return folder
  }
}

/** Plain files, at any depth; what is a link stays where it is. */
async function filesBelow(worktree: string, folder: string): Promise<string[]> {
  const entries = (await unlessMissing(readdir(join(worktree, folder)))) ?? []
  const found = entries.toSorted().map(async (name): Promise<string[]> => {
    const path = posix.join(folder, name)
    const stats = await lstatIfThere(join(worktree, path))
    if (stats?.isDirectory() === true) return filesBelow(worktree, path)
    return stats?.isFile() === true ? [path] : []
  })
  return (await Promise.all(found)).flat()
}
