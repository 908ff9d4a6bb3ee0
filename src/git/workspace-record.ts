import { join } from 'node:path'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { readTextIfPresent, writeFileAtomic } from '../platform/files.ts'

/** How far the making of a task's branch and worktree has come, for whoever finds it after a crash. */
export type WorkspaceRecord =
  | {
      readonly state: 'creating'
      /** With its start; an earlier version did not write them down. */
      readonly branch?: { readonly name: string; readonly start: string }
      readonly worktree?: string
    }
  | { readonly state: 'ready'; readonly worktree: string; readonly registration: string }

interface Place {
  readonly stateDir: string
}

export function recordFile({ stateDir }: Place): string {
  return join(stateDir, 'workspace.json')
}

export async function writeRecord(spec: Place, record: WorkspaceRecord): Promise<void> {
  await writeFileAtomic(recordFile(spec), `${JSON.stringify(record)}\n`)
}

export async function readRecord(spec: Place): Promise<WorkspaceRecord | undefined> {
  const text = await readTextIfPresent(recordFile(spec))
  if (text === undefined) return undefined
  const record = JSON.parse(text) as Json
  if (!isJsonObject(record)) return undefined
  const { state, worktree, registration, branch } = record
  if (state === 'ready' && typeof worktree === 'string' && typeof registration === 'string')
    return { state, worktree, registration }
  return {
    state: 'creating',
    ...(isJsonObject(branch)
      ? { branch: { name: textOf(branch['name']), start: textOf(branch['start']) } }
      : {}),
    ...(typeof worktree === 'string' ? { worktree } : {}),
  }
}

/** A folder among the main repository's objects, where the commits of one run wait to be let in. */
export function quarantineName(run: string): string {
  return `tmp_objdir-baton-${run}`
}
