import { isJsonObject } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** How much there is to think about, and so which of a provider's models is worth its price. */
export const complexities = ['low', 'medium', 'high', 'critical'] as const

export type Complexity = (typeof complexities)[number]

/** A provider's models by complexity; a level without one leaves the choice to the tool. */
export type ModelTable = Readonly<Partial<Record<Complexity, string>>>

/** Plans speak of simple, medium and complex tasks; critical is never a plan's own word (C-76). */
export const complexityWords: Readonly<Record<string, Complexity>> = {
  ...{ simple: 'low', complex: 'high' },
  ...{ low: 'low', medium: 'medium', high: 'high', critical: 'critical' },
}

export function complexityNamed(word: Json | undefined): Complexity | undefined {
  return typeof word === 'string' && Object.hasOwn(complexityWords, word) ? complexityWords[word] : undefined
}

export interface JudgedComplexity {
  readonly level: Complexity
  /** What was asked for, what an earlier step has said, how much there is on the list, or nothing at all. */
  readonly from: 'asked' | 'stored' | 'size' | 'default'
}

export interface ComplexityQuestion {
  readonly asked?: Complexity
  /** The run's values: the item at hand, the inputs, the answers of the steps so far. */
  readonly values: JsonObject
  /** Steps whose word counts, the nearest last. */
  readonly reads: readonly string[]
  /** Specifications and open points of the task list; undefined where there is no list. */
  readonly size?: number
}

/** Flag, then what is stored, then how much there is to do, then medium (C-28). Pure. */
export function judgeComplexity({ asked, values, reads, size }: ComplexityQuestion): JudgedComplexity {
  if (asked) return { level: asked, from: 'asked' }
  const stored = storedIn(values, reads)
  if (stored) return { level: stored, from: 'stored' }
  if (size !== undefined) return { level: levelOf(size), from: 'size' }
  return { level: 'medium', from: 'default' }
}

function storedIn(values: JsonObject, reads: readonly string[]): Complexity | undefined {
  const holders = [values['item'], values, ...reads.toReversed().map((name) => values[name])]
  for (const holder of holders) {
    const level = isJsonObject(holder) ? complexityNamed(holder['complexity']) : undefined
    if (level) return level
  }
  return undefined
}

function levelOf(size: number): Complexity {
  if (size <= 4) return 'low'
  if (size <= 10) return 'medium'
  return size <= 20 ? 'high' : 'critical'
}

const box = /^\s*[-*+] \[[ xX]\] /gm

/** Of the documents that a step is handed: points of task lists, and specifications beside them. */
export function sizeOfWork(
  documents: readonly { readonly path: string; readonly text: string }[],
): number | undefined {
  const points = documents.reduce((sum, { text }) => sum + (text.match(box)?.length ?? 0), 0)
  if (points === 0) return undefined
  return points + documents.filter(({ path }) => /(^|\/)specs?(\/|\.md$)/.test(path)).length
}

export interface ModelChoice {
  /** Absent: whatever the tool uses by itself. */
  readonly model?: string
  readonly from: 'flag' | 'environment' | 'settings' | 'role' | 'complexity' | 'provider'
  readonly complexity?: JudgedComplexity
}

export interface ModelQuestion {
  /** Asked for by the person, for all roles. */
  readonly asked?: { readonly model: string; readonly from: 'flag' | 'environment' | 'settings' }
  /** What the workflow says of this role. */
  readonly pin?: string
  readonly table: ModelTable
  readonly complexity: JudgedComplexity
}

/** The first that is given: the person's word, the role's, that of the complexity, the tool's own (C-75). Pure. */
export function chooseModel({ asked, pin, table, complexity }: ModelQuestion): ModelChoice {
  if (asked) return asked
  if (pin !== undefined) return { model: pin, from: 'role' }
  const model = table[complexity.level]
  return model === undefined ? { from: 'provider' } : { model, from: 'complexity', complexity }
}
