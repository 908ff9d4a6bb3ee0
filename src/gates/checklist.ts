import type { JsonObject } from '../model/json.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, planOf, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'
import { sectionOf } from './markdown.ts'
import { pathWords } from './plan-text.ts'

/** The plan's checklist, item for item in the report, each of them ticked, and nothing ticked with a file that is not there. */
export function checklistDone(facts: GateFacts, parameters: JsonObject): Judgement {
  const plan = planOf(facts, parameters['checklist_done'])
  const items = checklistOf(Object.values(facts.artifacts).join('\n'))
  if (items.length === 0) return unmet('the report has no checklist')
  const planned = plannedItems(plan)
  const said = items.map(({ text }) => ` ${words(text)} `)
  const left = planned.filter((item) => !said.some((text) => text.includes(` ${words(item)} `)))
  const open = items.filter(({ done }) => !done).map(({ text }) => text.slice(0, 200))
  const isAbsent = (path: string): boolean => facts.absent.includes(path) && !isChanged(facts, path)
  const unproven = items.filter(({ done }) => done).flatMap(({ text }) => evidenceIn(text).filter(isAbsent))
  const undelivered = deliverables(plan).filter(isAbsent)
  const findings = [
    ...(left.length > 0 ? [`items of the plan that the report lacks: ${listed(left)}`] : []),
    ...(open.length > 0 ? [`not done: ${listed(open)}`] : []),
    ...(unproven.length > 0 ? [`ticked with what does not exist: ${listed(unproven)}`] : []),
    ...(undelivered.length > 0 ? [`promised by the plan and not there: ${listed(undelivered)}`] : []),
  ]
  if (findings.length > 0) return unmet(findings.join('; '))
  return met(`${counted(items.length, 'item')} ticked, ${planned.length} of them from the plan`)
}

/** Every path that the gate will ask about, so that git is asked once. */
export function claimedPaths(facts: GateFacts, parameters: JsonObject): string[] {
  const plan = planOf(facts, parameters['checklist_done'])
  const items = checklistOf(Object.values(facts.artifacts).join('\n'))
  return [...new Set([...deliverables(plan), ...items.flatMap(({ text }) => evidenceIn(text))])]
}

/** A point of a checklist, and whether it is ticked. */
interface Item {
  readonly text: string
  readonly done: boolean
}

export function checklistOf(text: string): Item[] {
  return bullets(text.split(/\r?\n/)).flatMap((bullet) => {
    const [, mark, rest = ''] = /^\[([ xX])\]\s+(.*)$/.exec(bullet) ?? []
    return mark === undefined ? [] : [{ text: rest, done: mark !== ' ' }]
  })
}

/** Items of a plan may stand there without boxes. */
function plannedItems(plan: string): string[] {
  const lines = sectionOf(plan, 'Completion Checklist') ?? []
  return bullets(lines).flatMap((bullet) => {
    const item = bullet.replace(/^\[[ xX]\]\s*/, '').trim()
    return words(item) === '' ? [] : [item]
  })
}

/** The items of Markdown lists, each with the indented lines that go on with it. */
function bullets(lines: readonly string[]): string[] {
  const found: string[] = []
  let isOpen = false
  for (const line of withoutFences(lines)) {
    const [, text] = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? []
    const goesOn: boolean = isOpen && /^\s+\S/.test(line)
    isOpen = text !== undefined || goesOn
    if (text !== undefined) found.push(text.trim())
    else if (goesOn) found.push(`${found.pop()} ${line.trim()}`)
  }
  return found
}

/** What stands in a fence is an example. */
function withoutFences(lines: readonly string[]): string[] {
  let isFenced = false
  return lines.filter((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    return !isFenced && !isFence
  })
}

/** Deleted on purpose, for example. */
function isChanged({ branch }: GateFacts, path: string): boolean {
  return branch.some((change) => change.path === path || change.from === path)
}

/** Letters and digits of any script; marks, case and spacing do not matter. */
function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

/** Paths in code letters: `src/a.ts`, `src/a.ts:12`. Commands, names and addresses are none. */
function evidenceIn(text: string): string[] {
  const codes = (text.match(/`[^`]+`/g) ?? []).map((code) => code.slice(1, -1))
  return codes
    .filter((code) => !/\s/.test(code))
    .flatMap(pathWords)
    .filter((word) => isPath(word) || fileName.test(word))
}

function deliverables(plan: string): string[] {
  const text = (sectionOf(plan, 'Expected Deliverables') ?? []).join('\n')
  return [...new Set([...pathWords(text).filter(isPath), ...evidenceIn(text)])]
}

function isPath(word: string): boolean {
  return filePath.test(word) && !word.split('/').includes('..')
}

/** With a folder before it, and an ending. */
const filePath = /^(?:@?[\w.+-]+\/)+\.?[\w+-]+(?:\.[\w+-]+)+$/

/** Alone, with an ending that files of a project have. */
const fileName =
  /^\.?[\w+-]+(?:\.[\w+-]+)*\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|txt|html?|css|scss|py|go|rs|rb|java|kts?|cs|c|h|cpp|hpp|php|swift|sh|sql|xml|ini|cfg|lock)$/
