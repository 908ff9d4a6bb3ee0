import type { AgentRequest } from '../model/agent.ts'
import { textOf, type Json, type JsonObject } from '../model/json.ts'
import { lookUp } from '../model/template.ts'
import type { Call, Script } from './script-schema.ts'

/** What a scripted agent is given to play, as JSON in a file: the program that plays it parses nothing else. */
export type Play =
  | {
      readonly type: 'call'
      readonly call: Call
      readonly worktree: string
      readonly values: JsonObject
    }
  | { readonly type: 'nothing'; readonly reason: string }

/** The last entry stands for all further visits, its last call for all further calls. Both count from 1. */
export function pickCall(
  script: Script,
  at: Pick<AgentRequest, 'step' | 'role' | 'visit' | 'call' | 'values'>,
): Call | undefined {
  const all = ownValue(script.steps, at.step) ?? ownValue(script.roles, at.role) ?? []
  const visits = all.filter(({ when }) => applies(when, at.values))
  const picked = atMost(atMost(visits, at.visit)?.calls ?? [], at.call)
  return picked && { ...script.defaults, ...picked }
}

function ownValue<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table && Object.hasOwn(table, key) ? table[key] : undefined
}

function applies(when: Readonly<Record<string, Json>>, values: JsonObject): boolean {
  return Object.entries(when).every(([name, value]) => textOf(lookUp(name, values)) === textOf(value))
}

function atMost<T>(list: readonly T[], count: number): T | undefined {
  return list[Math.min(count, list.length) - 1]
}
