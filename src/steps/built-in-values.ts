import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { pathProblem } from '../model/safe-path.ts'
import type { StepRequest } from '../model/step-result.ts'
import { variablesOf } from '../model/template.ts'
import { readTexts } from '../git/branch-changes.ts'
import { filesAt } from '../git/summarize.ts'
import { notesAt, notesNamedIn, wordsOf } from './kept-notes.ts'
import { repoSummary } from './repo-summary.ts'
import { inWorkspace, workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

const largestFile = 1_000_000

export type BuiltInValues =
  | { readonly type: 'values'; readonly values: JsonObject }
  | { readonly type: 'refused'; readonly reason: string }

/** Values that have to be looked up in the repository: only those that the step's `with` asks for. */
export async function builtInValues(
  site: Site,
  request: StepRequest,
  commit: string,
): Promise<BuiltInValues> {
  const asked = new Set(variablesOf(JSON.stringify(request.step.with)))
  const summary = asked.has('repo_summary') ? { repo_summary: await repoSummary(site, request, commit) } : {}
  if (!asked.has('context_files')) return { type: 'values', values: summary }
  const files = await contextFiles(site, request, commit)
  if (files.type === 'refused') return files
  return { type: 'values', values: { ...summary, context_files: files.files } }
}

type ContextFiles =
  | { readonly type: 'files'; readonly files: Json }
  | (BuiltInValues & { readonly type: 'refused' })

/** The artifacts of the item that exist, as they are at the commit, in the item's order; then the notes that it names. */
async function contextFiles(site: Site, request: StepRequest, commit: string): Promise<ContextFiles> {
  const folder = workspaceOf(request.workflow, request.values)
  const there = new Set(
    (await filesAt(site.repo, commit, folder)).filter(({ kind }) => kind === 'file').map(({ path }) => path),
  )
  const wanted = artifactsOf(request.values['item'])
    .map((path) => ({ path, name: `${commit}:${inWorkspace(folder, path)}` }))
    .filter(({ path }) => there.has(inWorkspace(folder, path)))
  const texts = await readTexts(
    site.repo,
    wanted.map(({ name }) => name),
    request.workflow.policy.limits?.content ?? largestFile,
  )
  const files: Json[] = []
  for (const { path, name } of wanted) {
    const found = texts.get(name)
    if (found?.type !== 'text' || found.text.includes('\uFFFD') || found.text.includes('\0'))
      return { type: 'refused', reason: `'${path}' is too large or no text: it cannot be handed over whole` }
    files.push({ path, content: found.text })
  }
  const taken = new Set(wanted.map(({ path }) => path))
  const notes = (await notesAt(site, request, commit)).filter(({ path }) => !taken.has(path))
  const named = await notesNamedIn({ site, commit }, notes, wordsOf(request.values['item']))
  return { type: 'files', files: [...files, ...named] }
}

function artifactsOf(item: Json | undefined): string[] {
  const artifacts = isJsonObject(item) ? item['artifacts'] : undefined
  const paths = Array.isArray(artifacts) ? artifacts.map((path: Json) => textOf(path)) : []
  return paths.filter((path) => pathProblem(path) === undefined)
}
