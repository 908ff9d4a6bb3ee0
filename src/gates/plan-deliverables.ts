import type { JsonObject } from '../model/json.ts'
import type { BranchChange, GateFacts, Judgement } from './gate.ts'
import { met, planOf, unmet } from './gate.ts'
import { listed } from './listed.ts'
import { sectionOf } from './markdown.ts'
import { pathWords } from './plan-text.ts'
import { isTestPath } from './test-languages.ts'

/** The parts of a plan that say what has to arrive beside the code, or that it need not, and why. */
export const excusable = ['Test Scenarios', 'Documentation Updates'] as const

/** Where the plan has test scenarios, the branch has tests (R001-112). */
export function testsWritten(facts: GateFacts, parameters: JsonObject): Judgement {
  const wanted = wantedBy(planOf(facts, parameters['tests_written']), 'Test Scenarios')
  if (wanted.excuse !== undefined) return met(wanted.excuse)
  const tests = facts.branch.filter(isWritten).filter(({ path }) => isTestPath(path))
  if (tests.length > 0) return met(`tests on the branch: ${listed(tests.map(({ path }) => path))}`)
  return unmet('the plan has test scenarios, and no test was written or changed on the branch')
}

/** The documents that the plan wants to be updated are (R001-113). */
export function documentsUpdated(facts: GateFacts, parameters: JsonObject): Judgement {
  const wanted = wantedBy(planOf(facts, parameters['documents_updated']), 'Documentation Updates')
  if (wanted.excuse !== undefined) return met(wanted.excuse)
  const named = documentsIn(wanted.lines)
  const left = named.filter((name) => !facts.branch.some((change) => isAbout(change, name)))
  if (left.length > 0)
    return unmet(`the plan wants it updated, and the branch has not changed it: ${listed(left)}`)
  if (named.length > 0) return met(`changed on the branch: ${listed(named)}`)
  const changed = facts.branch.filter(isWritten).filter(({ path }) => isDocument(path))
  if (changed.length > 0) return met(`changed on the branch: ${listed(changed.map(({ path }) => path))}`)
  return unmet('the plan wants documents updated, and none was changed on the branch')
}

interface Wanted {
  readonly lines: readonly string[]
  /** Why nothing is. */
  readonly excuse?: string
}

/** A person who lets it go without says so in a line: "No tests: it is a comment". It stands behind the plan. */
function wantedBy(plan: string, part: Part): Wanted {
  const lines = (sectionOf(plan, part) ?? []).filter((line) => line.trim() !== '')
  const [first = ''] = lines
  if (first === '') return { lines, excuse: `there is no plan that has '## ${part}'` }
  const excuse = none.test(first) ? first : plan.split('\n').find((line) => without[part].test(line))
  return excuse === undefined ? { lines } : { lines, excuse: `it is said: ${excuse.trim().slice(0, 200)}` }
}

type Part = (typeof excusable)[number]

const none =
  /^[\s>*_+.\d)-]*(?:none(?! of)|n\/a|not applicable|nothing (?:changes|to (?:test|update|document)))\b/i
const without: Readonly<Record<Part, RegExp>> = {
  'Test Scenarios': /^[\s>*_+.\d)-]*no (?:new |further )?tests?\b/i,
  'Documentation Updates': /^[\s>*_+.\d)-]*no (?:new |further )?(?:documents?|documentation)\b/i,
}

/** "None" and nothing else: whoever reads the plan cannot tell why. */
export function isBareNone(lines: readonly string[]): boolean {
  const text = lines.join(' ')
  return none.test(text) && !/\p{L}{2,}/u.test(text.replace(none, ''))
}

const document = /\.(?:md|mdx|markdown|rst|adoc|txt|html?)$/i
const stays = /\b(?:unchanged|stays?|as (?:it is|they are)|not? (?:to )?(?:be )?(?:change|update)|needs? no)/i

function documentsIn(lines: readonly string[]): string[] {
  const words = lines.filter((line) => !stays.test(line)).flatMap(pathWords)
  const names = words.map((word) => word.replace(/#.*$/, '')).filter((word) => !word.includes('://'))
  return [...new Set(names.filter((name) => document.test(name) || /^[\w.-]+(?:\/[\w.-]+)*\/$/.test(name)))]
}

/** Outside the folder of tests, whose texts nobody reads. */
function isDocument(path: string): boolean {
  return document.test(path) && !isTestPath(path)
}

/** By its path or its name alone; a folder by anything in it. What is planned to go has been dealt with, too. */
function isAbout(change: BranchChange, name: string): boolean {
  if (change.change !== 'deleted' && !isWritten(change)) return false
  return [change.path, change.from ?? change.path].some(
    (path) => path === name || path.endsWith(`/${name}`) || path.startsWith(name.endsWith('/') ? name : '\n'),
  )
}

/** Moved, emptied or deleted is changed, but nothing that anybody wrote. */
function isWritten({ change, emptied }: BranchChange): boolean {
  return ['added', 'modified', 'renamed'].includes(change) && !emptied
}
