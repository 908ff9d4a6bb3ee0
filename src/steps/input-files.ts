import { dirname, join, posix } from 'node:path'
import type { JsonObject } from '../model/json.ts'
import type { ReadItem, StepRequest } from '../model/step-result.ts'
import { writeDiff } from '../git/diff.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { removeInside, writeInside } from '../platform/inside-file.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import { movesOf } from './archive-moves.ts'
import type { PromptInput } from './build-prompt.ts'
import { currentBase } from './current-base.ts'
import type { Site } from './workplace.ts'

const folder = '.baton/inputs'
const largestDiff = 20_000_000

export interface InputFiles {
  readonly inputs: Readonly<Record<string, PromptInput>>
  remove(): Promise<void>
}

export interface InputRequest {
  readonly reads: readonly ReadItem[]
  readonly tip: string
  /** Folder of the call, outside the worktree: what was handed over stays there. */
  readonly dir: string
  readonly conflicts?: string
}

/** The diff and the conflicts, as files in the worktree that are never committed and gone after the call. */
export async function writeInputFiles(site: Site, request: InputRequest): Promise<InputFiles> {
  const inputs: Record<string, PromptInput> = {}
  const diff = request.reads.find((item) => item.type === 'diff')
  if (diff) inputs['diff'] = await diffInput(site, request, diff.since)
  if (request.conflicts !== undefined && request.reads.some(({ type }) => type === 'conflicts')) {
    await ensureDirectory(request.dir)
    await writeFileAtomic(conflictsFile(request.dir), request.conflicts)
    inputs['conflicts'] = await textInput(site, request.conflicts)
  }
  return { inputs, remove: () => removeInside(site.task.worktree, folder) }
}

/** A document may have been archived since, and is read there; what does not exist is left out. */
export async function stillThere(
  site: Site,
  { reads, values }: Pick<StepRequest, 'reads' | 'values'>,
): Promise<ReadItem[]> {
  const kept = reads.map(async (item): Promise<ReadItem[]> => {
    if (item.type !== 'artifact') return [item]
    const found = await Promise.all(item.paths.map((path) => placeOf(site, path, values)))
    const paths = found.flat()
    return paths.length === 0 ? [] : [{ ...item, paths }]
  })
  return (await Promise.all(kept)).flat()
}

async function placeOf(site: Site, path: string, values: JsonObject): Promise<string[]> {
  const archived = movesOf([path], { values, folders: [posix.dirname(path)], prefix: '' })
  for (const place of [path, ...archived.map(({ to }) => to)]) {
    if ((await lstatIfThere(join(site.task.worktree, place))) !== undefined) return [place]
  }
  return []
}

/** Where a call keeps the conflicts that it was handed, so that its repairs are handed the same. */
export function conflictsFile(dir: string): string {
  return join(dir, 'conflicts.txt')
}

/** Cumulative, from where the branch left the base (R001-117), unless asked for since a commit of the branch. */
async function diffInput(site: Site, { tip, dir }: InputRequest, since?: string): Promise<PromptInput> {
  const kept = join(dir, 'diff.patch')
  await ensureDirectory(dirname(kept))
  // What a merge of the base has brought meanwhile is not the branch's own.
  const from = since ?? (await currentBase(site))
  const diff = await writeDiff(site.repo, {
    from,
    to: tip,
    file: kept,
    maxBytes: largestDiff,
  })
  const path = `${folder}/diff.patch`
  await writeInside(site.task.worktree, path, (await readTextIfPresent(kept)) ?? '', {
    // Bytes that are no UTF-8 become three each.
    maxBytes: 3 * largestDiff,
  })
  const cut = diff.cut ? `, cut at ${largestDiff} bytes` : ''
  // Branch names mean nothing where the agent works.
  const began =
    since === undefined ? `of the branch since it left '${site.base.name}'` : 'since the item began'
  const note = `all changes ${began} (commit ${from}): ${diff.files} files${cut}`
  return { type: 'path', name: 'diff', path, note }
}

async function textInput(site: Site, conflicts: string): Promise<PromptInput> {
  const path = `${folder}/conflicts.txt`
  await writeInside(site.task.worktree, path, conflicts, { maxBytes: 1_000_000 })
  const note = `what git says about the conflicts; BASE_HEAD is '${site.base.name}'`
  return { type: 'path', name: 'conflicts', path, note }
}
