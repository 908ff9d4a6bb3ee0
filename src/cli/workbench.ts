import { createRegistry, defaultProvider, offlineProviders, providerNames } from '../agents/registry.ts'
import type { SettingsFlags } from '../config/gather-settings.ts'
import { loadSettings } from '../config/load-settings.ts'
import { loadWorkflow } from '../config/load-workflow.ts'
import type { LoadedWorkflow } from '../config/loaded-workflow.ts'
import type { LoadOptions } from '../config/load-workflow.ts'
import type { Layer } from '../config/layers.ts'
import { gateShapes } from '../gates/judge-gates.ts'
import type { Activity } from '../model/activity.ts'
import type { Provider } from '../model/agent.ts'
import type { PersonMessage, Question } from '../model/durable.ts'
import type { JournalLine } from '../model/event.ts'
import type { Settings } from '../model/settings.ts'
import type { Role, Step, Workflow } from '../model/workflow.ts'
import type { Clock } from '../platform/clock.ts'
import type { LiveLimits } from '../views/live-spending.ts'
import { actionLabels } from '../steps/actions.ts'

/** What the world outside gives to a command. Tests pass their own. */
export interface Surroundings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  /** Ends when the person presses Ctrl-C. */
  readonly interrupt: AbortSignal
  readonly onLine: (line: JournalLine) => void
  /** What was recorded before this command, in order. */
  readonly onRecorded?: (line: JournalLine) => void
  /** What the run may use, before its first line. */
  readonly onLimits?: (limits: LiveLimits) => void
  /** What agents are heard to do, which is no fact of the journal. */
  readonly onActivity?: (activity: Activity) => void
  /** Instead of the system's own, for who wants to know what happens where there is none. */
  readonly sandboxProgram?: string
  readonly askPerson?: (question: Question, signal: AbortSignal) => Promise<PersonMessage | undefined>
  /** Nobody is there, but the process stays until somebody answers from elsewhere. */
  readonly staysWaiting?: boolean
  /** Rings the bell of the terminal that a person sits at. */
  readonly ring?: () => void
  /** There only where a person sits at a terminal. */
  readonly askYesNo?: (question: string) => Promise<boolean>
}

/** How workflow files are read here: with the actions, gates and providers that this program has. */
export function loadOptions(
  layers: readonly Layer[],
  settings: Pick<Settings, 'provider' | 'providers'>,
): LoadOptions {
  return {
    layers,
    actions: actionLabels,
    gates: gateShapes,
    providers: [...providerNames, ...Object.keys(settings.providers)],
    offline: offlineProviders,
    defaultProvider,
    ...(settings.provider === undefined ? {} : { providerOverride: settings.provider }),
  }
}

export async function loadAll(
  layers: readonly Layer[],
  { flags, env }: { readonly flags: SettingsFlags; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly settings: Settings; readonly loaded: LoadedWorkflow }> {
  const { settings } = await loadSettings({ layers, flags, env })
  return { settings, loaded: await loadWorkflow(settings.workflow, loadOptions(layers, settings)) }
}

export interface ScriptSource {
  readonly file: string
  readonly text?: string
}

export function openProviders(
  { cwd, env, clock }: Pick<Surroundings, 'cwd' | 'env' | 'clock'>,
  settings: Settings,
  script: ScriptSource | undefined,
): (name: string) => Provider {
  const path = env['PATH'] ?? '/usr/bin:/bin'
  const keyVariable = settings.http?.keyVariable
  const http = { ...settings.http, key: keyVariable === undefined ? undefined : env[keyVariable] }
  const own = { shareLogin: settings.login === 'share', commands: settings.providers }
  const now = (): number => clock.now().getTime()
  return createRegistry({ path, cwd, env, http, now, ...own, ...(script === undefined ? {} : { script }) })
}

/** Every provider that a role of the workflow is or may be played by. */
export function providersOf(workflow: Workflow): string[] {
  return [...playersOf(workflow).keys()]
}

/** The same, each with the roles that it plays. */
export function playersOf(workflow: Workflow): ReadonlyMap<string, readonly string[]> {
  const roles = new Map<string, string[]>()
  for (const { role, players } of partsOf(workflow)) {
    for (const player of players) {
      const known = roles.get(player) ?? []
      roles.set(player, known.includes(role) ? known : [...known, role])
    }
  }
  return roles
}

/** A role in a step, and the providers that play it there. */
export interface Part {
  readonly role: string
  readonly step: string
  readonly players: readonly string[]
}

export function partsOf(workflow: Workflow): Part[] {
  const partsIn = (steps: readonly Step[]): Part[] =>
    steps.flatMap((step) => {
      if (step.type === 'each') return partsIn(step.steps)
      return step.type === 'agent'
        ? [{ role: step.role.name, step: step.id, players: castOf(step.role) }]
        : []
    })
  const judge = workflow.roles[workflow.supervision?.role ?? '']
  return [
    ...partsIn(workflow.steps),
    ...Object.values(workflow.fragments).flatMap(partsIn),
    // Who judges has no step of its own, and no fallback.
    ...(judge ? [{ role: judge.name, step: judge.name, players: [judge.provider] }] : []),
  ]
}

function castOf({ provider, fallback }: Role): string[] {
  return fallback === undefined ? [provider] : [provider, fallback]
}

const passedOn = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']

/** What commands of the engine's own (tests, set-up) may see of the user's environment: nothing that is a secret. */
export function checkEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
