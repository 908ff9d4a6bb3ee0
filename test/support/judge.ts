import { nothingCollected } from '../../src/gates/gate.ts'
import type { GateFacts } from '../../src/gates/gate.ts'
import { judgeGates } from '../../src/gates/judge-gates.ts'
import type { JsonObject } from '../../src/model/json.ts'

/** One gate over the given facts, through the table: `met: ...` or `unmet: ...`. */
export function judge(name: string, facts: Partial<GateFacts> = {}, parameters: JsonObject = {}): string {
  const [report] = judgeGates([{ name, parameters }], { ...nothingCollected, ...facts })
  return `${report?.met === true ? 'met' : 'unmet'}: ${report?.facts}`
}
