// What a journal still says after an undo: lines are only ever added, so one that takes others back is one more line.
import type { JournalLine } from './event.ts'
import { textOf } from './json.ts'

/** The data of `run.undone`. */
export type Undo = {
  /** The visit at whose end the run stands again, for example `code#2`. */
  readonly to: string
  readonly step: string
  readonly visit: number
  /** Tip of the task branch before and after. */
  readonly from: string
  readonly commit: string
  readonly tree: string
  /** Ref of all that stood in the worktree. */
  readonly snapshot: string
  /** The last visit that had to do with the branch, up to `to`; empty if there was none. */
  readonly after: string
  /** Of its commits: a fact of the journal, so that a repetition makes the same ones. */
  readonly at: string
}

export function undoOf({ data }: JournalLine): Undo {
  const text = (name: string): string => textOf(data[name])
  return {
    ...{ to: text('to'), step: text('step'), visit: Number(data['visit'] ?? 1), from: text('from') },
    ...{ commit: text('commit'), tree: text('tree'), snapshot: text('snapshot') },
    ...{ after: text('after'), at: text('at') },
  }
}

/** `code#2/finished` is the end of `code#2`. */
export function visitOfEnd(key: string): string {
  return key.endsWith('/finished') ? key.slice(0, -'/finished'.length) : key
}

/** Without what was undone; the line of an undo stands right after the end of the step that it names. */
export function standingLines(lines: readonly JournalLine[]): readonly JournalLine[] {
  if (!lines.some(({ type }) => type === 'run.undone')) return lines
  const standing: JournalLine[] = []
  for (const line of lines) {
    if (line.type === 'run.undone') standing.length = endOf(standing, undoOf(line).to)
    standing.push(line)
  }
  return standing
}

/** How many lines there are up to the end of a visit, with what is said and emitted at its end. */
function endOf(lines: readonly JournalLine[], visit: string): number {
  const at = lines.findLastIndex(({ data }) => data['key'] === `${visit}/finished`)
  if (at === -1) return lines.length
  const isLastWord = ({ data }: JournalLine) =>
    /^\/(?:said|emitted)\//.test(restOf(textOf(data['key']), visit))
  let end = at + 1
  for (let line = lines[end]; line !== undefined && isLastWord(line); line = lines[end]) end += 1
  return end
}

function restOf(key: string, visit: string): string {
  return key.startsWith(visit) ? key.slice(visit.length) : ''
}

export interface EndedStep {
  readonly key: string
  readonly step: string
  readonly visit: number
  readonly outcome: string
  readonly label: string
  /** Where the task branch was at its end. */
  readonly commit: string
  /** See `Undo`. */
  readonly after: string
}

/** The visits that have ended, oldest first: what an undo can name. Of lines that stand. */
export function endedSteps(standing: readonly JournalLine[]): EndedStep[] {
  const ended: EndedStep[] = []
  let commit = ''
  let after = ''
  for (const { type, data } of standing) {
    if (type === 'branch.created') commit = textOf(data['start'])
    if (type !== 'step.finished') continue
    const key = visitOfEnd(textOf(data['key']))
    const isWork = !['ask', 'each'].includes(textOf(data['kind']))
    if (isWork) after = key
    if (data['commit'] !== undefined) commit = textOf(data['commit'])
    const { step, outcome, label } = data
    ended.push({
      ...{ key, step: textOf(step), visit: Number(data['visit'] ?? 1), commit, after },
      ...{ outcome: textOf(outcome), label: textOf(label) },
    })
  }
  return ended
}

/** `code` is the last visit of that step, `code#2` the second; a visit inside an item has its whole key. */
export function stepNamed(ended: readonly EndedStep[], name: string): EndedStep | undefined {
  return (
    ended.findLast(({ key }) => key === name) ??
    ended.findLast(({ step, visit }) => `${step}#${visit}` === name) ??
    ended.findLast(({ step }) => step === name)
  )
}

/** The newest undo, while nothing has been done since: what belongs to it may have been cut short. */
export function pendingUndo(lines: readonly JournalLine[]): Undo | undefined {
  const at = lines.findLastIndex(({ type }) => type === 'run.undone')
  const line = lines[at]
  if (line === undefined || lines.slice(at + 1).some(({ data }) => data['key'] !== undefined))
    return undefined
  return undoOf(line)
}

/** The visits that the newest undo took back, whether they had ended or not. */
export function visitsUndone(lines: readonly JournalLine[]): string[] {
  const at = lines.findLastIndex(({ type }) => type === 'run.undone')
  const stillThere = new Set(standingLines(lines.slice(0, at + 1)))
  return standingLines(lines.slice(0, at)).flatMap((line) => {
    const begun = line.type === 'step.started' && !stillThere.has(line)
    return begun ? [textOf(line.data['key']).replace(/\/started$/, '')] : []
  })
}

/** How many there have been. */
export function countUndos(lines: readonly JournalLine[]): number {
  return lines.filter(({ type }) => type === 'run.undone').length
}
