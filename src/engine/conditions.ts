import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateSpec, Step } from '../model/workflow.ts'
import { lookUp } from '../model/template.ts'

/** `when`: every name equals the value, or one of a list. A step's name stands for its label. */
export function applies({ when }: Pick<Step, 'when'>, valuesNow: () => JsonObject): boolean {
  const conditions = Object.entries(when)
  if (conditions.length === 0) return true
  const values = valuesNow()
  return conditions.every(([name, allowed]) => {
    const found = lookUp(name, values)
    const value = typeof found === 'object' && found !== null ? lookUp(`${name}.label`, values) : found
    return allowed.some((one) => String(one) === textOf(value))
  })
}

/** The gates of a step that count here: conditions of a gate may be for some items only. */
export function gatesFor({ gates }: Pick<Step, 'gates'>, values: () => JsonObject): readonly GateSpec[] {
  if (gates.every(({ when }) => when === undefined)) return gates
  return gates.filter(({ when = {} }) => applies({ when }, values))
}
