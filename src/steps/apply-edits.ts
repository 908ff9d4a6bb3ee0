import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isTestFile } from '../gates/edits.ts'
import { lookInside, UnsafePathError, whyNotInside, writeInside } from '../platform/inside-file.ts'
import { sha256Of } from '../platform/files.ts'
import { judgeEdits } from './judge-edits.ts'
import type { Edit, EditRules } from './judge-edits.ts'
import { inWorkspace } from './workspace.ts'

export interface EditOrder extends EditRules {
  readonly worktree: string
  /** The folder in it that the paths are relative to; empty for the worktree itself. */
  readonly folder: string
  /** Test files that exist stay as they are. */
  readonly testsReadOnly: boolean
  /** Puts the worktree back as it was, if something went wrong half-way. */
  readonly putBack: () => Promise<void>
}

export type AppliedEdits =
  | { readonly type: 'applied'; readonly paths: readonly string[] }
  | { readonly type: 'refused'; readonly problem: string }

const largestFile = 5_000_000

/** Writes the files of an answer: all of them, or none. To be used only while no agent lives in the worktree. */
export async function applyEdits(given: Json | undefined, order: EditOrder): Promise<AppliedEdits> {
  const judged = judgeEdits(given, order)
  if (judged.type === 'refused') return judged
  for (const edit of judged.edits) {
    const problem = await problemAt(edit, order)
    if (problem !== undefined) return { type: 'refused', problem: `'${edit.path}' ${problem}` }
  }
  try {
    for (const { path, content } of judged.edits) {
      await writeInside(order.worktree, inWorkspace(order.folder, path), content, { maxBytes: largestFile })
    }
  } catch (error) {
    await order.putBack()
    if (!(error instanceof UnsafePathError)) throw error
    return { type: 'refused', problem: `'${error.path}' cannot be written: ${error.message}` }
  }
  return { type: 'applied', paths: judged.edits.map(({ path }) => path) }
}

async function problemAt({ path, content }: Edit, order: EditOrder): Promise<string | undefined> {
  const place = inWorkspace(order.folder, path)
  if (Buffer.byteLength(content) > largestFile) return 'is too large'
  const reason = await whyNotInside(order.worktree, place)
  if (reason !== undefined || !order.testsReadOnly || !isTestFile(path)) return reason
  const isThere = (await lookInside(order.worktree, place)) !== undefined
  return isThere ? 'is a test that exists already, and tests are not changed here' : undefined
}

/** An answer as it is recorded: contents are in the worktree and in the answer's own file, and may be large. */
export function withoutContents(answer: JsonObject): JsonObject {
  const edits = answer['edits']
  if (!Array.isArray(edits)) return answer
  return { ...answer, edits: edits.map(withoutContent) }
}

function withoutContent(edit: Json): Json {
  if (!isJsonObject(edit) || typeof edit['content'] !== 'string') return edit
  const { content, ...rest } = edit
  return { ...rest, sha256: sha256Of(content) }
}
