import { readableText } from '../model/outside-text.ts'
import type { Checks, Comment } from './forge.ts'

const longestComment = 4000
const longestLog = 8000
const longest = 60_000

/** What people and checks say about a pull request, as the feedback of a round. Of a log its end is what matters. */
export function feedbackText(comments: readonly Comment[], { failures }: Pick<Checks, 'failures'>): string {
  const parts = [...comments.map(commentText), ...failures.map(failureText)]
  const text = parts.join('\n\n')
  return text.length <= longest ? text : `${text.slice(0, longest)}\n(cut here)`
}

function commentText({ author, text, path, line }: Comment): string {
  const place = path === undefined ? '' : ` on ${path}${line === undefined ? '' : `:${line}`}`
  return `Comment of ${readableText(author)}${place}:\n${quoted(readableText(text).slice(0, longestComment))}`
}

function failureText({ name, url, log }: Checks['failures'][number]): string {
  const clean = readableText(log)
  const end = clean.length <= longestLog ? clean : `...\n${clean.slice(-longestLog)}`
  return `The check '${readableText(name)}' failed (${readableText(url)}). The end of its log:\n${quoted(end)}`
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())
    .join('\n')
}
