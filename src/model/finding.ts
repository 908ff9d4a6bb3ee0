import { isJsonObject, textOf } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** One point of a review, or one that an author says something about. */
export type Finding = {
  readonly id: string
  /** What must hold and does not, in a sentence. */
  readonly about: string
  /** Path of a file, perhaps with a line: empty where a finding is about no one place. */
  readonly place: string
  readonly severity: string
  readonly status: string
}

/** Words by which a reviewer or an author marks a finding as dealt with. */
const settled = new Set(['resolved', 'withdrawn', 'fixed', 'disputed'])

export function isSettled({ status }: Finding): boolean {
  return settled.has(status)
}

/** A minor point sends nothing back, so it cannot keep a loop going either. */
export function isOpen(finding: Finding): boolean {
  return !isSettled(finding) && finding.severity !== 'minor'
}

/** The field `findings` of an answer; what has no such shape is left out, not guessed at. */
export function findingsOf(answer: JsonObject | undefined): Finding[] {
  const list = answer?.['findings']
  return Array.isArray(list) ? list.flatMap((value: Json) => findingOf(value)) : []
}

function findingOf(value: Json): Finding[] {
  if (!isJsonObject(value)) return []
  const [id, about, place] = [textOf(value['id']), textOf(value['about']), textOf(value['place'])]
  const [severity, status] = [textOf(value['severity']).toLowerCase(), textOf(value['status']).toLowerCase()]
  return id === '' && about === '' ? [] : [{ id, about, place, severity, status }]
}

/**
 * Numbered findings in a reviewer's text: `F1 (major), src/a.ts:3: ...`, as a list item, a heading or a
 * paragraph, in bold or not. A finding reaches to the next one, or to the next heading.
 */
export function findingsIn(text: string): Finding[] {
  const found: { id: string; words: string[] }[] = []
  let isInside = false
  for (const line of separated(text).split('\n')) {
    const start = startOf(line)
    if (start) found.push(start)
    if (start) isInside = true
    else if (/^\s{0,3}#/.test(line)) isInside = false
    else if (isInside) found.at(-1)?.words.push(line)
  }
  return found.map(({ id, words }) => fromText(id, words.join(' ')))
}

/** `Resolved. F2 (major), ...` within one line begins a new finding too. */
function separated(text: string): string {
  return text.replaceAll(/([.;]) (?=F\d{1,3} \()/g, '$1\n')
}

function startOf(line: string): { id: string; words: string[] } | undefined {
  const plain = line.replace(/^[\s>#*+-]{0,12}/, '')
  const match = /^(F\d{1,3})(?:\*\*)?(?=[\s:.,(])/.exec(plain)
  return match?.[1] === undefined ? undefined : { id: match[1], words: [plain.slice(match[0].length)] }
}

function fromText(id: string, text: string): Finding {
  const severity = /\b(blocker|major|minor)\b/i.exec(text)?.[1]?.toLowerCase() ?? ''
  const status = /\b(not resolved|resolved|withdrawn)\b/i.exec(text.slice(0, 120))?.[1]?.toLowerCase() ?? ''
  const place = placeIn(text)
  return { id, about: text.trim().slice(0, 1000), place, severity, status }
}

/** The first word that looks like a file of the project: with a folder or an ending. */
function placeIn(text: string): string {
  const words = text.slice(0, 2000).split(/[\s`'"(),;]+/)
  const word = words.find((one) => /^[\w@.-][\w@./-]*[/.][a-z]\w*(?::\d+)?:?$/i.test(one))
  return word?.replace(/:$/, '') ?? ''
}
