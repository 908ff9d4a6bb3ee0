// A workflow file of one step, with more lines at its top.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { layersFor } from '../../src/config/layers.ts'
import { loadWorkflow } from '../../src/config/load-workflow.ts'
import type { LoadOptions } from '../../src/config/load-workflow.ts'
import { gateShapes } from '../../src/gates/judge-gates.ts'
import type { LoadedWorkflow } from '../../src/config/loaded-workflow.ts'
import type { Workflow } from '../../src/model/workflow.ts'
import { makeFolder, writeFiles } from './git.ts'
import type { Files } from './git.ts'

type Casting = Partial<Pick<LoadOptions, 'defaultProvider' | 'providerOverride'>>

export async function workflow(lines: string, casting: Casting = {}): Promise<Workflow> {
  const root = await makeFolder()
  const dir = join(root, '.baton')
  await mkdir(join(dir, 'workflows'), { recursive: true })
  await mkdir(join(dir, 'prompts'))
  await writeFile(join(dir, 'prompts', 'a.md'), 'Do it.\n')
  const steps = 'roles: { a: { prompt: a.md } }\nsteps:\n  - { id: s, agent: a }\n'
  await writeFile(join(dir, 'workflows', 'w.yaml'), `name: w\n${lines}${steps}`)
  return (await loadWorkflow('w', optionsFor({ projectRoot: root, env: {} }, casting))).workflow
}

/** A workflow of ours, in a project with these files. */
export async function builtIn(name: string, files: Files = {}): Promise<LoadedWorkflow> {
  const projectRoot = await makeFolder()
  await writeFiles(projectRoot, files)
  return loadWorkflow(name, { ...optionsFor({ projectRoot, env: {} }, {}), offline: ['near', 'http'] })
}

function optionsFor(places: Parameters<typeof layersFor>[0], casting: Casting): LoadOptions {
  return {
    ...{ layers: layersFor(places), actions: {}, gates: gateShapes, offline: ['near'] },
    ...{ defaultProvider: 'near', ...casting },
  }
}
