import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { orderItems } from '../model/order-items.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'
import { besidesDocuments } from './step-changed.ts'
import { isNamedTest, languageOf } from './test-languages.ts'

/** Items of a list in the answer can be put in an order: no circle, no id that does not exist (C-48). */
export function dependenciesSatisfiable({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const field = fieldOf(parameters['dependencies_satisfiable'])
  const items = answer[field]
  if (!Array.isArray(items)) return unmet(`'${field}' of the answer is no list`)
  const nameless = items.findIndex((item: Json) => !isJsonObject(item))
  if (nameless !== -1) return unmet(`item ${nameless + 1} of '${field}' is no object`)
  const ordered = orderItems(items, [])
  return ordered.type === 'refused' ? unmet(ordered.reason) : met(`${counted(items.length, 'item')} in order`)
}

function fieldOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : 'steps'
}

/** Something is different from when the item began. */
export function changedSomething({ since, documents }: GateFacts): Judgement {
  const work = besidesDocuments(since, documents)
  return work.length === 0 ? unmet('nothing was changed') : met(`changed: ${listed(work)}`)
}

/** Among what was changed since the item began there are tests. */
export function testsIncluded({ since }: GateFacts): Judgement {
  const tests = since.filter((path) => isNamedTest(path) || languageOf(path) !== undefined)
  return tests.length === 0
    ? unmet('no test was written or changed with this work')
    : met(`tests: ${listed(tests)}`)
}

/** Proof that anybody can look at: files that were changed, or that are named and exist. A claim alone is none. */
export function evidencePresent({ since, evidence, absentEvidence }: GateFacts): Judgement {
  if (absentEvidence.length > 0) return unmet(`named as evidence, but not there: ${listed(absentEvidence)}`)
  const proof = [...new Set([...evidence, ...since])]
  return proof.length === 0 ? unmet('no file was changed or named as evidence') : met(listed(proof))
}

/** Few enough items failed, and none that another depends on (C-55). */
export function failuresAcceptable({ items }: GateFacts, parameters: JsonObject): Judgement {
  const { total, failed, needed } = items
  if (needed.length > 0) return unmet(`others depend on what failed: ${listed(needed)}`)
  const most = Math.max(
    1,
    Math.min(numberOf(parameters['max'], 3), Math.floor(total * numberOf(parameters['share'], 0.3))),
  )
  const facts = `${failed.length} of ${counted(total, 'item')} failed, at most ${most} may`
  return failed.length > most ? unmet(`${facts}: ${listed(failed)}`) : met(facts)
}

function numberOf(value: Json | undefined, otherwise: number): number {
  const number = Number(textOf(value))
  return value !== undefined && Number.isFinite(number) ? number : otherwise
}
