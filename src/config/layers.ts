import { isAbsolute, join } from 'node:path'
import { packageFile } from '../platform/package-file.ts'

/** A place that workflows, prompts, schemas and settings come from. */
export interface Layer {
  readonly name: 'built-in' | 'user' | 'project'
  readonly dir: string
  readonly workflows: string
  readonly prompts: string
  readonly schemas: string
}

export interface LayerPlaces {
  readonly projectRoot?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Strongest first: project over user over built-in. */
export function layersFor({ projectRoot, env }: LayerPlaces): readonly Layer[] {
  const user = userDirectory(env)
  return [
    ...(projectRoot === undefined ? [] : [folderLayer('project', join(projectRoot, '.baton'))]),
    ...(user === undefined ? [] : [folderLayer('user', user)]),
    builtInLayer(),
  ]
}

function folderLayer(name: 'user' | 'project', dir: string): Layer {
  const [workflows, prompts, schemas] = [join(dir, 'workflows'), join(dir, 'prompts'), join(dir, 'schemas')]
  return { name, dir, workflows, prompts, schemas }
}

function builtInLayer(): Layer {
  const dir = packageFile('workflows/')
  return {
    name: 'built-in',
    dir,
    workflows: dir,
    prompts: join(dir, 'prompts'),
    schemas: join(dir, 'schemas'),
  }
}

/** XDG says that a relative path in the variable is to be ignored. */
function userDirectory(env: LayerPlaces['env']): string | undefined {
  const config = env['XDG_CONFIG_HOME']
  if (config !== undefined && isAbsolute(config)) return join(config, 'baton')
  const home = env['HOME']
  return home === undefined || home === '' ? undefined : join(home, '.config', 'baton')
}
