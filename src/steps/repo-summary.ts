import { textOf } from '../model/json.ts'
import { filesAt } from '../git/summarize.ts'
import type { TreeFile } from '../git/summarize.ts'
import { readTexts } from '../git/branch-changes.ts'
import type { StepRequest } from '../model/step-result.ts'
import { notesAt, notesNamedIn } from './kept-notes.ts'
import { workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

const mostCharacters = 20_000
const mostNotes = 300
const largestNoted = 200_000
const longestNote = 80

/**
 * What there is, for who sees nothing of it: a line for each committed file, with a short note. The same commit gives
 * the same text. Notes of the project (`kb/`) are listed too, and one that the goal names is there as a whole; a summary
 * that grows too long loses its remarks first.
 */
export async function repoSummary(site: Site, request: StepRequest, commit: string): Promise<string> {
  const { workflow, values } = request
  const folder = workspaceOf(workflow, values)
  const own = await filesAt(site.repo, commit, folder)
  const kept = await notesAt(site, request, commit)
  const named = [
    ...own.map((file) => ({ file, name: folder === '' ? file.path : file.path.slice(folder.length + 1) })),
    ...kept.map((file) => ({ file, name: file.path })),
  ]
  const notes = await notesOf(site, commit, own.concat(kept))
  const asked = await notesNamedIn({ site, commit }, kept, textOf(values['goal'] ?? values['task']))
  const whole = new Map(asked.map(({ path, content }) => [path, indented(content)]))
  const remark = (path: string): string => `${notes.get(path) ?? ''}${whole.get(path) ?? ''}`
  return bounded(named.map(({ file, name }) => ({ name, note: remark(file.path) })))
}

/** Below the line of its file, so that no line of it looks like that of another. */
function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '    ').replace(/^/, '\n')
}

async function notesOf(site: Site, commit: string, files: readonly TreeFile[]): Promise<Map<string, string>> {
  const readable = files
    .filter(({ kind, bytes }) => kind === 'file' && bytes <= largestNoted)
    .slice(0, mostNotes)
  const texts = await readTexts(
    site.repo,
    readable.map(({ path }) => `${commit}:${path}`),
    largestNoted,
  )
  return new Map(
    files.map((file) => {
      const found = texts.get(`${commit}:${file.path}`)
      return [file.path, found?.type === 'text' ? noteOf(found.text) : otherNote(file)] as const
    }),
  )
}

function otherNote({ kind, bytes }: TreeFile): string {
  if (kind === 'link') return 'a symbolic link'
  return kind === 'repository' ? 'a repository of its own' : `${bytes} bytes`
}

/** How long it is, and the first words that it says about itself. */
function noteOf(text: string): string {
  if (text.trim() === '') return 'empty'
  if (text.includes('\0')) return 'not a text'
  const lines = text.split('\n')
  const count = text.endsWith('\n') ? lines.length - 1 : lines.length
  const size = count === 1 ? '1 line' : `${count} lines`
  const words = lines
    .slice(0, 20)
    .map(wordsIn)
    .find((found) => found !== '')
  return words === undefined ? size : `${size}: ${words}`
}

/** A heading, a comment or the first line of a docstring; a line of code says nothing about the file. */
function wordsIn(line: string): string {
  const [, words = ''] = /^\s*(?:#+(?!!)|\/\/+|\/\*+|\*|"""|'''|<!--|;+|--)\s*(\S.*)$/.exec(line) ?? []
  return words
    .replace(/(?:"""|'''|\*\/|-->)\s*$/, '')
    .trim()
    .slice(0, longestNote)
}

function bounded(lines: readonly { readonly name: string; readonly note: string }[]): string {
  const whole = lines.map(({ name, note }) => `${name} - ${note}`)
  const bare = lines.map(({ name }) => name)
  return [whole, bare].map((all) => all.join('\n')).find((text) => text.length <= mostCharacters) ?? cut(bare)
}

function cut(names: readonly string[]): string {
  const kept: string[] = []
  let length = 0
  for (const name of names) {
    length += name.length + 1
    if (length > mostCharacters) break
    kept.push(name)
  }
  return [...kept, `... and ${names.length - kept.length} more`].join('\n')
}
