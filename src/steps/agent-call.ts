import { join } from 'node:path'
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

export function filesOf(dir: string) {
  return {
    prompt: join(dir, 'prompt.md'),
    /** What the tool printed, where that is a stream of events and not yet the answer. */
    stream: join(dir, 'stream.jsonl'),
    answer: join(dir, 'answer.txt'),
    errors: join(dir, 'errors.txt'),
    exit: join(dir, 'exit.json'),
    home: join(dir, 'home'),
    /** Each decision of the firewall, a line each. */
    decisions: join(dir, 'decisions.jsonl'),
    /** Pipes to the firewall, which the agent's tool can write; and programs that it can only run. */
    channel: join(dir, 'channel'),
    bin: join(dir, 'bin'),
  }
}

export function markOf(site: Site, dir: string): Mark {
  return { owner: site.folder.dir, name: dir }
}
