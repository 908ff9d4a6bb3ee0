import { loadSettings } from '../config/load-settings.ts'
import type { SettingsFlags } from '../config/gather-settings.ts'
import { ForgeError } from '../forge/forge.ts'
import type { Forge } from '../forge/forge.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Outside } from '../steps/workplace.ts'
import { openOutside } from './outside.ts'
import { openProject } from './project.ts'
import type { Surroundings } from './workbench.ts'

/** The forge of the project, for a command that cannot do without. */
export async function openDoor(
  surroundings: Surroundings,
  flags: SettingsFlags,
): Promise<{ readonly forge: Forge; readonly outside: Outside }> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const { settings } = await loadSettings({ layers: project.layers, flags, env: surroundings.env })
  const outside = openOutside(project.repo, settings, surroundings)
  const opened = await outside.forge(surroundings.interrupt)
  if (opened.type === 'open') return { forge: opened.forge, outside }
  throw new FailureError({
    code: 'forge.none',
    message: `No forge can be asked: ${opened.why}.`,
    next: opened.type === 'closed' ? opened.next.replace(/, then: .*/, '') : 'git remote --verbose',
  })
}

/** A refusal of the forge as what a command says to a person. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    const next = error.next.replace(/, then: baton resume$/, ', then type the command again')
    throw new FailureError({
      code: 'forge.refused',
      message: `${error.message}.`,
      next,
      exitCode: exitCodes.failed,
    })
  }
}
