import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { makeFolder, writeFiles } from '../../test/support/git.ts'
import { layersFor } from './layers.ts'
import type { Layer } from './layers.ts'
import { ejectWorkflow, listWorkflows } from './list-workflows.ts'
import { loadWorkflow } from './load-workflow.ts'

async function placeWith(
  files: Readonly<Record<string, string>>,
): Promise<{ root: string; layers: readonly Layer[]; to: Layer }> {
  const folder = await makeFolder()
  await writeFiles(folder, files)
  const root = join(folder, 'project')
  const layers = layersFor({ projectRoot: root, env: { HOME: join(folder, 'home') } })
  const [to] = layers
  if (!to) throw new Error('no project layer')
  return { root, layers, to }
}

const mine = 'name: pipeline\ndescription: Mine.\nsteps:\n  - { id: a, do: deliver }\n'

describe('The list of workflows', () => {
  it('shows every file of every layer, and which of them another one hides', async () => {
    const { root, layers } = await placeWith({
      'project/.baton/workflows/pipeline.yaml': mine,
      'project/.baton/workflows/broken.yaml': 'name: [',
      'project/.baton/workflows/notes.md': 'no workflow',
    })
    const listed = await listWorkflows(layers)
    expect(listed.filter(({ layer }) => layer === 'project')).toEqual([
      { name: 'broken', description: '', layer: 'project', path: join(root, '.baton/workflows/broken.yaml') },
      {
        name: 'pipeline',
        description: 'Mine.',
        layer: 'project',
        path: join(root, '.baton/workflows/pipeline.yaml'),
      },
    ])
    expect(listed.find(({ layer, name }) => layer === 'built-in' && name === 'pipeline')).toMatchObject({
      description: 'Analyse, plan, review the plan, implement, audit, integrate, deliver.',
      hiddenBy: 'project',
    })
  })

  it('says of two files of one name in a layer that neither runs', async () => {
    const { root, layers } = await placeWith({
      'project/.baton/workflows/twice.yaml': mine,
      'project/.baton/workflows/twice.yml': mine,
    })
    const [one, other] = ['yaml', 'yml'].map((ending) => join(root, `.baton/workflows/twice.${ending}`))
    expect((await listWorkflows(layers)).filter(({ name }) => name === 'twice')).toMatchObject([
      { path: one, clashesWith: other },
      { path: other, clashesWith: one },
    ])
  })
})

describe('Ejecting a workflow', () => {
  it('R002-03: copies it with its prompts and schemas into the project (C-81)', async () => {
    const { root, layers, to } = await placeWith({})
    const paths = await ejectWorkflow('pipeline', { layers, to })
    expect(paths).toHaveLength(17)
    expect(paths).toContain(join(root, '.baton/prompts/pipeline/architect.md'))
    expect(paths).toContain(join(root, '.baton/schemas/plan.json'))
    const builtIn = layers.at(-1)?.workflows ?? ''
    const copy = await readFile(join(root, '.baton/workflows/pipeline.yaml'), 'utf8')
    expect(copy).toBe(await readFile(join(builtIn, 'pipeline.yaml'), 'utf8'))
  })

  it('gives a copy that loads without a problem, every schema checked', async () => {
    const { layers, to } = await placeWith({})
    await ejectWorkflow('pipeline', { layers, to })
    const { source, schemas } = await loadWorkflow('pipeline', {
      layers: [to],
      defaultProvider: 'alpha',
      actions: {
        'merge-base': ['clean', 'conflict'],
        archive: ['nothing'],
        deliver: ['moved', 'none', 'offered'],
      },
      gates: gateShapes,
    })
    expect([source.layer, Object.keys(schemas).length]).toEqual(['project', 7])
  })

  it('leaves a prompt alone that the project has already', async () => {
    const { root, layers, to } = await placeWith({ 'project/.baton/prompts/pipeline/architect.md': 'ours' })
    const paths = await ejectWorkflow('pipeline', { layers, to })
    expect(paths).not.toContain(join(root, '.baton/prompts/pipeline/architect.md'))
    expect(await readFile(join(root, '.baton/prompts/pipeline/architect.md'), 'utf8')).toBe('ours')
  })

  it('never overwrites, and then copies nothing at all', async () => {
    const { root, layers, to } = await placeWith({ 'project/.baton/workflows/pipeline.yaml': mine })
    const path = join(root, '.baton/workflows/pipeline.yaml')
    await expect(ejectWorkflow('pipeline', { layers, to })).rejects.toMatchObject({
      code: 'eject.exists',
      message: `${path} exists already.`,
    })
    expect(await readFile(path, 'utf8')).toBe(mine)
    await expect(readFile(join(root, '.baton/schemas/plan.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
