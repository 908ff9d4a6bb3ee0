import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Workflow } from '../model/workflow.ts'

/**
 * The folder of the project that a run is about, where the workflow has a path of that name: paths in answers are
 * relative to it, and checks run in it. Empty for the whole worktree.
 */
export function workspaceOf({ paths }: Pick<Workflow, 'paths'>, values: JsonObject): string {
  const folder = paths['workspace'] === undefined ? '' : textOf(values['workspace'])
  return folder === '.' ? '' : folder.replace(/\/+$/, '')
}

/** A path of an answer, relative to the worktree. */
export function inWorkspace(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`
}
