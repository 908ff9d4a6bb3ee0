import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { sectionOf } from './markdown.ts'
import { excusable, isBareNone } from './plan-deliverables.ts'

export const planParts = [
  'Reference Documents',
  'Detailed Logic',
  'Test Scenarios',
  'Documentation Updates',
  'Expected Deliverables',
  'Completion Checklist',
] as const

/** The six mandatory parts of a plan (R001-100 to 105), each a heading with something below it. */
export function planHasParts({ artifacts }: GateFacts): Judgement {
  const text = Object.values(artifacts).join('\n')
  const missing = planParts.filter((part) => !sectionOf(text, part)?.some((line) => line.trim() !== ''))
  if (missing.length > 0) return unmet(`the plan lacks: ${missing.map((part) => `'## ${part}'`).join(', ')}`)
  const bare = excusable.filter((part) => isBareNone(sectionOf(text, part) ?? []))
  if (bare.length > 0)
    return unmet(`'None' without a reason: ${bare.map((part) => `'## ${part}'`).join(', ')}`)
  return met('all six parts are there')
}
