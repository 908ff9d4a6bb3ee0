import { textOf } from '../model/json.ts'
import { filesAt } from '../git/summarize.ts'
import type { TreeFile } from '../git/summarize.ts'
import { readTexts } from '../git/branch-changes.ts'
import type { StepRequest } from '../model/step-result.ts'
import { workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

const mostCharacters = 20_000
const mostNotes = 300
const largestNoted = 200_000
const longestNote = 80

/**
 * What there is, for who sees nothing of it: a line for each committed file, with a short note. The same commit gives
 * the same text. Notes for people (`kb/`) are listed too; a summary that grows too long loses its notes first.
 */
export async function repoSummary(site: Site, request: StepRequest, commit: string): Promise<string> {
  const { workflow, values } = request
  const folder = workspaceOf(workflow, values)
  const own = await filesAt(site.repo, commit, folder)
  const knowledge = workflow.paths['kb'] === undefined ? '' : textOf(values['kb'])
  const kept =
    knowledge === '' || folder === '' ? [] : (await filesAt(site.repo, commit, knowledge)).filter(isNote)
  const named = [
    ...own.map((file) => ({ file, name: folder === '' ? file.path : file.path.slice(folder.length + 1) })),
    ...kept.map((file) => ({ file, name: file.path })),
  ]
  const notes = await notesOf(site, commit, own.concat(kept))
  return bounded(named.map(({ file, name }) => ({ name, note: notes.get(file.path) ?? '' })))
}

function isNote({ path, kind }: TreeFile): boolean {
  return kind === 'file' && path.endsWith('.md')
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
