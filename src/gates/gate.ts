import type { JsonObject } from '../model/json.ts'

/** What the engine found out itself, for gates to judge. Nothing in here is an agent's claim but `answer`. */
export interface GateFacts {
  readonly answer: JsonObject
  /** Commits that the agent made in this step, oldest first. */
  readonly commits: readonly string[]
  /** How many paths these commits change, the step's own artifacts aside. */
  readonly changes: number
  /** A person changed something by hand right before the step. */
  readonly byHand: boolean
  /** Texts of the step's artifacts, as committed. */
  readonly artifacts: Readonly<Record<string, string>>
  readonly tests?: TestFacts
  /** Conflict markers, as `file:line`. */
  readonly markers: readonly string[]
  readonly merged?: boolean
}

export type TestFacts =
  | {
      readonly type: 'ran'
      readonly command: string
      readonly exitCode: number
      readonly log: string
      readonly tail: string
    }
  | { readonly type: 'not_run'; readonly reason: string }

/** What has to be collected for a gate; nothing is collected that no gate of the step needs. */
export type Need = 'tests' | 'artifacts' | 'markers' | 'merged' | 'changes'

export interface Gate {
  readonly needs: readonly Need[]
  readonly judge: (facts: GateFacts, parameters: JsonObject) => Judgement
}

/** The facts are evidence for people and feedback for the next round: the first line has to say it all. */
export interface Judgement {
  readonly met: boolean
  readonly facts: string
}

export const nothingCollected: GateFacts = {
  ...{ answer: {}, commits: [], changes: 0, byHand: false, artifacts: {}, markers: [] },
}

export function met(facts: string): Judgement {
  return { met: true, facts }
}

export function unmet(facts: string): Judgement {
  return { met: false, facts }
}
