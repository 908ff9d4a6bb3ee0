import { posix } from 'node:path'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'

export interface ArchivePlan {
  readonly values: JsonObject
  readonly folders: readonly string[]
  readonly prefix: string
}

export interface Move {
  readonly from: string
  readonly to: string
}

/** `plans/x.md` goes to `archived/plans/x.md`; what is archived already, and what lies elsewhere, stays. Pure. */
export function movesOf(paths: readonly string[], { values, folders, prefix }: ArchivePlan): Move[] {
  const docs = textOf(values['docs'])
  const archived = textOf(values['archived'])
  if (docs === '' || archived === '') return []
  return paths
    .filter((path) => path.startsWith(`${docs}/`) && folders.includes(posix.dirname(path)))
    .map((from) => {
      const inner = from.slice(docs.length + 1)
      return { from, to: posix.join(archived, posix.dirname(inner), `${prefix}${posix.basename(inner)}`) }
    })
}
