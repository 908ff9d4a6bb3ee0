import type { LoadedWorkflow } from '../config/loaded-workflow.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Json } from '../model/json.ts'
import type { Settings } from '../model/settings.ts'
import type { Walls } from '../model/walls.ts'
import type { Workplace } from '../steps/workplace.ts'
import { openOutside } from './outside.ts'
import type { Project } from './project.ts'
import { checkEnvironment } from './workbench.ts'
import type { Surroundings } from './workbench.ts'

export interface Furnishing {
  readonly project: Project
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly provider: Workplace['provider']
  readonly loaded: LoadedWorkflow
  readonly settings: Settings
  readonly requested: Workplace['requested']
  readonly walls: Walls
  readonly wait: boolean
}

/** The same for a run that starts, goes on or is played again. */
export function workplaceOf(from: Furnishing): Workplace {
  const { project, folder, surroundings, provider, loaded, settings, requested, walls, wait } = from
  return {
    ...{
      repo: project.repo,
      folder,
      workflow: loaded.workflow,
      settings,
      clock: surroundings.clock,
      provider,
      requested,
      walls,
      wait,
      quotas: new Map(),
    },
    prompts: Object.fromEntries(Object.entries(loaded.prompts).map(([name, { text }]) => [name, text])),
    schemas: Object.fromEntries(
      Object.entries(loaded.schemas).map(([name, { value }]): [string, Json] => [name, value]),
    ),
    env: checkEnvironment(surroundings.env),
    ...(surroundings.onActivity ? { onActivity: surroundings.onActivity } : {}),
    outside: openOutside(project.repo, settings, surroundings),
    keys: (variable) => surroundings.env[variable],
  }
}
