// A Markdown list of tasks: `- [ ] 1.1 What to do`, with details indented below it. Pure.

export type ListedTask = {
  readonly id: string
  readonly title: string
  /** What stands indented below it. */
  readonly details: string
  /** The heading that it stands under. */
  readonly section: string
  readonly line: number
  readonly done: boolean
}

export interface ListProblem {
  readonly line: number
  readonly message: string
}

export interface TaskList {
  readonly tasks: readonly ListedTask[]
  readonly problems: readonly ListProblem[]
}

/** `- [ ] `, with whatever stands in the box; a link is none. */
const boxed = /^(\s*)[-*+] \[([^\]]{0,3})\](?!\()\s*(.*)$/
const numbered = /^(?:\*\*)?(\d+(?:\.\d+)+)(?:\*\*)?[.:)]?\s+(\S.*)$/
const heading = /^#{1,6}\s+(.*)$/

export function readTaskList(text: string): TaskList {
  const lines = text.split(/\r?\n/)
  const front = frontMatter(lines)
  if (front === undefined) {
    return { tasks: [], problems: [{ line: 1, message: "the front matter has no end: close it with '---'" }] }
  }
  const reading = { tasks: [] as Mutable[], problems: [] as ListProblem[], section: '', isCode: false }
  for (const [index, line] of lines.entries()) if (index >= front) readLine(reading, line, index + 1)
  const { tasks, problems } = reading
  if (tasks.length === 0 && problems.length === 0)
    problems.push({ line: 1, message: "there is no task: write '- [ ] 1.1 <what to do>'" })
  return { tasks: tasks.map((task) => ({ ...task, details: task.details.trimEnd() })), problems }
}

type Mutable = { -readonly [key in keyof ListedTask]: ListedTask[key] }

interface Reading {
  readonly tasks: Mutable[]
  readonly problems: ListProblem[]
  section: string
  isCode: boolean
}

function readLine(reading: Reading, line: string, number: number): void {
  const last = reading.tasks.at(-1)
  if (/^\s*(?:```|~~~)/.test(line)) reading.isCode = !reading.isCode
  const outside = reading.isCode ? '' : line
  const title = heading.exec(outside)?.[1]
  const box = boxed.exec(outside)
  if (title !== undefined) reading.section = title
  else if (box && !(last && isDetail(box))) readTask(reading, box, number)
  else if (last) last.details += detailIn(line)
}

/** What is indented belongs to the task above it. */
function detailIn(line: string): string {
  return /^\s+\S/.test(line) ? `${line.trim()}\n` : ''
}

/** A box of its own below a task belongs to the task, unless it has a number. */
function isDetail([, indent = '', , rest = '']: RegExpExecArray): boolean {
  return indent.length >= 2 && !numbered.test(rest)
}

function readTask({ tasks, problems, section }: Reading, box: RegExpExecArray, line: number): void {
  const [, , mark = '', rest = ''] = box
  const named = numbered.exec(rest)
  const complain = (message: string): void => void problems.push({ line, message })
  if (!/^[ xX]$/.test(mark)) return complain(`a box is '[ ]' or '[x]', not '[${mark}]'`)
  if (!named) return complain("a task needs a number such as 1.1 and a title: '- [ ] 1.1 <what to do>'")
  const [, id = '', title = ''] = named
  const other = tasks.find((task) => task.id === id)
  if (other) return complain(`task ${id} stands on line ${other.line} already`)
  tasks.push({ id, title: title.trim(), details: '', section, line, done: mark !== ' ' })
}

/** Index of the first line after it; undefined where it has no end. */
function frontMatter(lines: readonly string[]): number | undefined {
  if (lines[0]?.trim() !== '---') return 0
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---')
  return end === -1 ? undefined : end + 1
}

/** Ticks and opens boxes; every other letter stays as it was. */
export function markTasks(
  text: string,
  marks: { readonly done: readonly string[]; readonly open: readonly string[] },
): string {
  const lines = text.split('\n')
  for (const { id, line } of readTaskList(text).tasks) {
    const mark = marks.done.includes(id) ? 'x' : marks.open.includes(id) ? ' ' : undefined
    const at = line - 1
    if (mark !== undefined) lines[at] = (lines[at] ?? '').replace(/\[[ xX]\]/, `[${mark}]`)
  }
  return lines.join('\n')
}

/** `changes/x/tasks.md:7: ...`, one to a line. */
export function problemLines(path: string, problems: readonly ListProblem[]): string {
  return problems.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n')
}
