import { cutText } from '../model/cut.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { StepRequest } from '../model/step-result.ts'
import { readTexts } from '../git/branch-changes.ts'
import { filesAt } from '../git/summarize.ts'
import type { TreeFile } from '../git/summarize.ts'
import { workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

const largestNote = 200_000

/** A note stands in a prompt beside what it is about: of a long one, the beginning and the end. */
const bounds = { above: 4000, head: 2500, between: '\n...\n', tail: 1000 }

/** The project's own notes, where the workflow has a place for them; not where they are files like all others. */
export async function notesAt(site: Site, request: StepRequest, commit: string): Promise<TreeFile[]> {
  const { workflow, values } = request
  const folder = workflow.paths['kb'] === undefined ? '' : textOf(values['kb'])
  if (folder === '' || workspaceOf(workflow, values) === '') return []
  const files = await filesAt(site.repo, commit, folder)
  return files.filter(({ path, kind }) => kind === 'file' && path.endsWith('.md'))
}

/** The text of those that somebody asks for, by naming their paths. */
export async function notesNamedIn(
  { site, commit }: { readonly site: Site; readonly commit: string },
  notes: readonly TreeFile[],
  words: string,
): Promise<{ readonly path: string; readonly content: string }[]> {
  const named = notes.filter(({ path }) => isNamed(path, words))
  const names = named.map(({ path }) => `${commit}:${path}`)
  const texts = named.length === 0 ? new Map<string, never>() : await readTexts(site.repo, names, largestNote)
  return named.flatMap(({ path }) => {
    const found = texts.get(`${commit}:${path}`)
    return found?.type === 'text' ? [{ path, content: cutText(found.text, bounds) }] : []
  })
}

function isNamed(path: string, words: string): boolean {
  const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\w./-])${escaped}(?![\w/-])`).test(words)
}

/** What is said in a task: its texts, not the lists beside them. */
export function wordsOf(value: Json | undefined): string {
  if (!isJsonObject(value)) return textOf(value)
  return Object.values(value)
    .filter((part) => typeof part === 'string')
    .join('\n')
}
