import type { Json, JsonObject } from '../model/json.ts'
import type { ItemCounts } from '../model/step-result.ts'
import type { GateShape } from '../model/workflow.ts'

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
  /** The same, in a fresh checkout of the branch's tip. */
  readonly cleanTests?: TestFacts
  /** Conflict markers, as `file:line`. */
  readonly markers: readonly string[]
  readonly merged?: boolean
  /** All that the branch has changed since it began, merges of the base aside. */
  readonly branch: readonly BranchChange[]
  /** Names at the top of the tree that the branch began with. */
  readonly baseNames: readonly string[]
  /** Files and folders that are the workflow's own. */
  readonly documents: readonly string[]
  /** Artifacts of the steps that gates name, as those steps left them, and what people have said in this run. */
  readonly plans: Readonly<Record<string, string>>
  readonly testing: TestingFacts
  /** Paths of which somebody says that they exist, and that do not at the tip. */
  readonly absent: readonly string[]
  /** Paths that the engine could not write, with the end of the sentence that says why. */
  readonly places: Readonly<Record<string, string>>
  /** What this step changed. */
  readonly stepChanges: readonly { readonly path: string; readonly isNew: boolean }[]
  /** Paths that differ from when the item, or else the run, began. */
  readonly since: readonly string[]
  /** Files that answers name as evidence, and those of them that are not there. */
  readonly evidence: readonly string[]
  readonly absentEvidence: readonly string[]
  readonly items: ItemCounts
}

export interface BranchChange {
  readonly path: string
  /** Where a file was before that git takes for renamed. */
  readonly from?: string
  /** `moved` is renamed without any other change, `mode` has its old content. */
  readonly change: 'added' | 'modified' | 'mode' | 'deleted' | 'renamed' | 'moved'
  /** Nothing is left of what was in it. */
  readonly emptied: boolean
}

/** What the branch did to the project's tests. */
export interface TestingFacts {
  readonly files: readonly ChangedFile[]
  /** Too large to look into. */
  readonly skipped: readonly string[]
  /** The command that runs the tests. */
  readonly command: readonly string[]
}

export interface ChangedFile {
  readonly path: string
  readonly from?: string
  /** Texts; undefined where there was none, or is none any more. */
  readonly before: string | undefined
  readonly after: string | undefined
}

export type TestFacts =
  | {
      readonly type: 'ran'
      readonly command: string
      readonly exitCode: number
      readonly log: string
      readonly tail: string
      /** How the place was prepared, where that is worth a word. */
      readonly note?: string
    }
  | { readonly type: 'not_run'; readonly reason: string }

/** What has to be collected for a gate; nothing is collected that no gate of the step needs. */
export type Need =
  | 'tests'
  | 'clean_tests'
  | 'artifacts'
  | 'markers'
  | 'merged'
  | 'changes'
  | 'branch'
  | 'base_names'
  | 'testing'
  | 'paths'
  | 'places'
  | 'step_changes'
  | 'since'
  | 'evidence'

export interface Gate extends Partial<GateShape> {
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
  ...{ branch: [], baseNames: [], documents: [], plans: {}, absent: [] },
  ...{ places: {}, stepChanges: [] },
  testing: { files: [], skipped: [], command: [] },
  ...{ since: [], evidence: [], absentEvidence: [] },
  items: { total: 0, ok: 0, failed: [], needed: [] },
}

/** The plan that a gate's parameter names; empty where that step has not run, so that nothing is excused by it. */
export function planOf({ plans }: GateFacts, step: Json | undefined): string {
  return typeof step === 'string' && Object.hasOwn(plans, step) ? (plans[step] ?? '') : ''
}

export function met(facts: string): Judgement {
  return { met: true, facts }
}

export function unmet(facts: string): Judgement {
  return { met: false, facts }
}
