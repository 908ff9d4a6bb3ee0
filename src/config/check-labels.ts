import { agentErrors } from '../model/agent.ts'
import { outcomes } from '../model/outcome.ts'
import { writeInstead } from './nearest.ts'
import { writtenRole } from './normalize-role.ts'
import { checkedBy, judgedBy } from './file-gates.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding, Path } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

/** How every step may end, whatever its kind: the outcomes, and what the engine itself finds wrong. */
const everywhere = [...outcomes, 'else', 'time', 'scope']

/** How an agent's work can come to nothing. */
const accidents = [...agentErrors, 'invalid', 'import', 'path']

const moments = ['start', 'answer', 'commit', 'end']

/** The words of `on`, `says` and `emits`: each of them must be a way in which the step can end. */
export function checkLabels(outline: Outline, vocabulary: Vocabulary): Finding[] {
  const possible = new Map(outline.steps.map((place) => [place, labelsOf(outline, place, vocabulary)]))
  const anywhere = [...possible.values()].includes(undefined)
    ? undefined
    : [...possible.values()].flatMap((words) => words ?? [])
  const inherited: Table[] = tablesOf(outline.file.defaults ?? {}, ['defaults'])
  return [
    ...outline.steps.flatMap((place) => {
      const ends = possible.get(place)
      return tablesOf(place.step, place.path).flatMap((table) =>
        tableFindings(table, ends, `step '${place.step.id}'`),
      )
    }),
    ...inherited.flatMap((table) => tableFindings(table, anywhere, 'any step')),
  ]
}

/** Undefined where a step may end with words of its own: a check's exit codes, an item's outcome. */
function labelsOf({ file }: Outline, { step }: StepPlace, { actions }: Vocabulary): string[] | undefined {
  if (step.check !== undefined || step.each !== undefined) return undefined
  const judged = judgedBy(file, step)
  const gates = [
    ...checkedBy(file, step).map(({ name, of }) => of ?? name),
    ...judged,
    ...(judged.length === 0 ? [] : ['inconclusive']),
  ]
  const words = step.agent === undefined ? [] : agentWords(file, step.agent, step)
  const results = Object.hasOwn(actions, step.do ?? '') ? (actions[step.do ?? ''] ?? []) : []
  return [...everywhere, ...gates, ...results, ...words]
}

function agentWords(...role: Parameters<typeof writtenRole>): string[] {
  const verdicts = Object.values(writtenRole(...role).verdicts ?? {}).flatMap((table) =>
    Object.entries(table),
  )
  // Only who sends work back can send it back for the same thing again.
  const repeated = verdicts.some(([, outcome]) => outcome === 'revise') ? ['repeated'] : []
  return [...verdicts.map(([word]) => word), ...repeated, ...accidents]
}

interface Table {
  readonly words: readonly string[]
  readonly path: Path
  readonly hasMoments: boolean
}

function tablesOf(keys: Pick<StepPlace['step'], 'on' | 'says' | 'emits'>, path: Path): Table[] {
  return (['on', 'says', 'emits'] as const).map((key) => ({
    words: Object.keys(keys[key] ?? {}),
    path: [...path, key],
    hasMoments: key !== 'on',
  }))
}

function tableFindings(
  { words, path, hasMoments }: Table,
  ends: readonly string[] | undefined,
  who: string,
): Finding[] {
  if (!ends) return []
  const known = hasMoments ? [...moments, ...ends] : ends
  return words.flatMap((word) => {
    if (known.includes(word)) return []
    const fix = writeInstead(word, [...new Set(known)])
    return [
      {
        path: [...path, word],
        atKey: true,
        message: hasMoments ? `'${word}' is no moment of ${who}` : `'${word}' is not how ${who} can end`,
        fix,
      },
    ]
  })
}
