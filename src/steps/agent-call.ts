import type { AgentError } from '../model/agent.ts'
import type { JsonObject } from '../model/json.ts'
import type { ModelChoice } from '../model/model-choice.ts'
import type { Usage } from '../model/usage.ts'
import type { AgentStep } from '../model/workflow.ts'
import type { Mark } from '../platform/mark.ts'
import type { Site } from './workplace.ts'

export interface AgentCall {
  readonly site: Site
  readonly step: AgentStep
  /** Of the visit, unique in the run. */
  readonly key: string
  readonly visit: number
  readonly call: number
  /** Folder of this call: prompt, raw answer, exit code, the provider's home. */
  readonly dir: string
  /** The agent's side of the repository. */
  readonly gitDir: string
  readonly prompt: string
  /** Why this model, for the journal. */
  readonly choice: ModelChoice
  readonly values: JsonObject
  /** The answer is on disk already, given to an engine that was killed. */
  readonly complete: boolean
  readonly timeLeftMs?: number
  /** When the whole run has to be done. */
  readonly runDeadline?: number
  /** Told as soon as the agent has ended, before anybody has read what it said. */
  readonly onEnded: () => void
}

export type Spoken =
  | { readonly type: 'answered'; readonly answer: JsonObject; readonly repaired: boolean }
  | { readonly type: 'invalid'; readonly problem: string }
  | SpokenError

/** With what the call has used, where its tool says so. */
export type Told = Spoken & { readonly usage?: Usage }

export interface SpokenError {
  readonly type: 'error'
  readonly error: AgentError
  readonly detail: string
  /** When the tool will take calls again, in milliseconds since 1970. */
  readonly resetsAt?: number
}

/** Asked for several times in a step, hence not by `join`, which looks at every letter. */
export function filesOf(dir: string) {
  return {
    prompt: `${dir}/prompt.md`,
    /** What the tool printed, where that is a stream of events and not yet the answer. */
    stream: `${dir}/stream.jsonl`,
    answer: `${dir}/answer.txt`,
    errors: `${dir}/errors.txt`,
    exit: `${dir}/exit.json`,
    home: `${dir}/home`,
    /** Each decision of the firewall, a line each. */
    decisions: `${dir}/decisions.jsonl`,
    /** Pipes to the firewall, which the agent's tool can write; and programs that it can only run. */
    channel: `${dir}/channel`,
    bin: `${dir}/bin`,
  }
}

export function markOf(site: Site, dir: string): Mark {
  return { owner: site.folder.dir, name: dir }
}
