import { join } from 'node:path'
import type { Activity } from '../model/activity.ts'
import type { Provider } from '../model/agent.ts'
import type { Json } from '../model/json.ts'
import type { Quotas } from '../model/quota.ts'
import type { RemoteCheck, Settings } from '../model/settings.ts'
import type { Walls } from '../model/walls.ts'
import type { Workflow } from '../model/workflow.ts'
import type { Opened } from '../forge/open-forge.ts'
import type { RemoteGit } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import type { Recording } from '../journal/recording.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Clock } from '../platform/clock.ts'

/** Everything that the steps of one run work with. Made once, by the command line. */
export interface Workplace {
  readonly repo: Repository
  readonly folder: RunFolder
  readonly workflow: Workflow
  readonly settings: Settings
  readonly clock: Clock
  /** Prompt texts and answer schemas, by the reference that a role uses. */
  readonly prompts: Readonly<Record<string, string>>
  readonly schemas: Readonly<Record<string, Json>>
  readonly provider: (name: string) => Provider
  /** PATH, HOME and the like for commands that the engine runs itself. */
  readonly env: Readonly<Record<string, string>>
  /** A variable of the person's own environment that holds a key, or says where a service is. Never handed on. */
  readonly keys: (variable: string) => string | undefined
  /** Around everything that runs what an agent has written. */
  readonly walls: Walls
  /** Told what agents are heard to do. */
  readonly onActivity?: (activity: Activity) => void
  /** What was asked for on the command line; resolved once, inside the run. */
  readonly requested: Requested
  /** Whether to wait for a provider whose quota is used up. */
  readonly wait: boolean
  /** Who takes no calls at present, as far as this run knows. */
  readonly quotas: Quotas
  /** The way to the remote and its forge; absent where a run has nothing to do with either. */
  readonly outside?: Outside
  /** No agent is started: what the agents of this run printed and did is played again. */
  readonly recording?: Recording
}

export interface Requested {
  readonly base?: string
  readonly from?: string
  readonly remote_check?: RemoteCheck
  /** Whether the base is what the remote has, fetched before it is merged. */
  readonly follows_remote?: boolean
  /** The pull request that the run works on: its branch is the one that is pushed. */
  readonly pr?: {
    readonly number: number
    readonly branch: string
    readonly commit: string
    readonly base: string
    readonly url: string
    /** Whether its description was made by a run, and may be made anew. */
    readonly is_ours: boolean
  }
}

export interface Outside {
  readonly git: RemoteGit
  forge(signal?: AbortSignal): Promise<Opened>
}

/** The workplace once the branch and the worktree exist. */
export interface Site extends Workplace {
  readonly task: TaskWorkspace
  readonly base: SiteBase
  /** The commit that the task branch began at. */
  readonly start: string
  /** Variables that the project asked for: one free port each. */
  readonly ports: Readonly<Record<string, string>>
}

interface SiteBase {
  readonly name: string
  readonly ref?: string
  readonly commit: string
}

/** A durable key as a folder: `plan#2` becomes `steps/plan.2`. */
export function stepFolder(folder: RunFolder, key: string): string {
  return join(folder.steps, key.replaceAll('#', '.').replaceAll(/[^\w./-]/g, '_'))
}
