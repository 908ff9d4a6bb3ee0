// docs/requirements.md and the tests' titles, held against each other.
import type { TitledTest } from './test-titles.ts'

/** How many requirements each specification has; they are numbered from 1. */
export type Specifications = Readonly<Record<string, number>>

export const specifications: Specifications = { R000: 83, R001: 165, R002: 59, R003: 96, R004: 151 }

/** What this version does not have yet. */
export const capabilities = ['real agents', 'truth gates'] as const

export interface Row {
  readonly number: string
  readonly requirement: string
  readonly files: readonly string[]
  /** The capability that it waits for, wholly (no files) or for the rest (beside files). */
  readonly later?: string
  /** The last cell, where it has neither form. */
  readonly unreadable?: string
}

export function numbersOf(specs: Specifications): string[] {
  return Object.entries(specs).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => `${name}-${String(index + 1).padStart(2, '0')}`),
  )
}

/** Rows of the form `| R000-01 | what Baton does | where it is shown |`. */
export function rowsOf(document: string): Row[] {
  const rows = document.matchAll(/^\|\s*(R\d{3}-\d+)\s*\|(.*)\|([^|]*)\|\s*$/gm)
  return [...rows].map(([, number = '', requirement = '', shown = '']) => ({
    number,
    requirement: requirement.trim(),
    ...shownBy(shown.trim()),
  }))
}

function shownBy(cell: string): Pick<Row, 'files' | 'later' | 'unreadable'> {
  const later = /^later: (.+)$/.exec(cell)?.[1]
  if (later !== undefined) return { files: [], later }
  const [, paths = '', rest] = /^((?:`[^`]+`(?:, )?)+)(?:; rest later: (.+))?$/.exec(cell) ?? []
  const files = [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
  if (files.length === 0) return { files, unreadable: cell }
  return rest === undefined ? { files } : { files, later: rest }
}

/** All numbers in a title; `R001-143 to R001-154` and `R001-143..154` stand for every number between. */
export function numbersIn(title: string): string[] {
  const found = title.matchAll(/\b(R\d{3})-(\d+)(?:(?:\s+to\s+|\s*\.{2,3}\s*|\s*[–…]\s*)(?:\1-)?(\d+)\b)?/g)
  return [...found].flatMap(([, name = '', first = '', last]) => {
    if (last === undefined) return [`${name}-${first}`]
    const [from, to] = [Number(first), Number(last)]
    if (to < from || to - from > 999) return [`${name}-${first}`, `${name}-${last}`]
    return Array.from(
      { length: to - from + 1 },
      (_, index) => `${name}-${String(from + index).padStart(2, '0')}`,
    )
  })
}

export interface Traced {
  readonly document: string
  readonly tests: readonly TitledTest[]
}

/** One sentence for each thing that is wrong, with what to do about it; empty when all is well. */
export function problemsIn({ document, tests }: Traced, specs: Specifications = specifications): string[] {
  const rows = rowsOf(document)
  const known = new Set(numbersOf(specs))
  const live = liveFiles(tests)
  return [
    ...countProblems(rows, known),
    ...rows.filter(({ number }) => known.has(number)).flatMap((row) => rowProblems(row, live)),
    ...titleProblems(tests, known, Object.keys(specs)),
  ]
}

function countProblems(rows: readonly Row[], known: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const { number } of rows) counts.set(number, (counts.get(number) ?? 0) + 1)
  const missing = [...known].filter((number) => !counts.has(number))
  const repeated = [...counts].filter(([, count]) => count > 1).map(([number]) => number)
  const strange = [...counts.keys()].filter((number) => !known.has(number))
  return [
    ...missing.map((number) => `${number} has no row: add one to docs/requirements.md`),
    ...repeated.map((number) => `${number} has more than one row: keep one`),
    ...strange.map((number) => `${number} is no requirement: remove its row, or correct the number`),
  ]
}

function rowProblems(row: Row, live: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { number, requirement, files, later, unreadable } = row
  const showing = live.get(number) ?? new Set<string>()
  const elsewhere = showing.size === 0 ? '' : ` (there is one in ${[...showing].toSorted().join(', ')})`
  const unshown = files.filter((file) => !showing.has(file))
  return [
    ...(requirement === '' ? [`${number} does not say what Baton does: write one sentence`] : []),
    ...(unreadable === undefined
      ? []
      : [`${number} says neither where it is shown nor 'later': '${unreadable}'${elsewhere}`]),
    ...unshown.map(
      (file) =>
        `${number} names ${file}, which has no live test with this number: add the test, or correct the row${elsewhere}`,
    ),
    ...(files.length === 0 && later !== undefined && showing.size > 0
      ? [`${number} says 'later', but has a live test: name ${[...showing].toSorted().join(', ')} in its row`]
      : []),
    ...(later === undefined || (capabilities as readonly string[]).includes(later)
      ? []
      : [`${number} waits for '${later}', which is none of: ${capabilities.join(', ')}`]),
  ]
}

function titleProblems(
  tests: readonly TitledTest[],
  known: ReadonlySet<string>,
  names: readonly string[],
): string[] {
  const strange = tests.flatMap(({ file, titles }) =>
    titles
      .flatMap(numbersIn)
      .filter((number) => names.includes(number.slice(0, 4)) && !known.has(number))
      .map((number) => `${number} in a title of ${file} does not exist: correct the number`),
  )
  return [...new Set(strange)]
}

/** For each number the files that have a live test of it. */
function liveFiles(tests: readonly TitledTest[]): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>()
  for (const { file, titles, live } of tests) {
    for (const number of live ? titles.flatMap(numbersIn) : []) {
      files.set(number, (files.get(number) ?? new Set()).add(file))
    }
  }
  return files
}
