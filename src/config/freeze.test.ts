import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { makeFolder } from '../../test/support/git.ts'
import { freezeRun, loadFrozen } from './freeze.ts'
import type { FrozenRun } from './freeze.ts'
import { layersFor } from './layers.ts'
import { loadSettings } from './load-settings.ts'
import { loadWorkflow } from './load-workflow.ts'

async function pipelineRun(): Promise<FrozenRun> {
  const layers = layersFor({ env: {} })
  const loaded = await loadWorkflow('pipeline', {
    layers,
    defaultProvider: 'alpha',
    actions: { 'merge-base': ['clean', 'conflict'], archive: ['nothing'], deliver: ['moved', 'none'] },
    gates: gateShapes,
  })
  const { settings } = await loadSettings({ layers, flags: { deliver: 'none' }, env: {} })
  return { loaded, settings, files: { 'task.md': 'Add a toggle\n' } }
}

describe('A frozen run', () => {
  it('is loaded again exactly as it was', async () => {
    const dir = join(await makeFolder(), 'frozen')
    const run = await pipelineRun()
    const { digest } = await freezeRun(dir, run)
    expect(await loadFrozen(dir, { digest })).toEqual({ ...run, digest })
  })

  it('is a folder that a person can read', async () => {
    const dir = await makeFolder()
    const run = await pipelineRun()
    await freezeRun(dir, run)
    const names = [
      'files',
      'loaded.json',
      'manifest.json',
      'prompts',
      'schemas',
      'settings.json',
      'workflow.yaml',
    ]
    expect((await readdir(dir)).toSorted()).toEqual(names)
    expect(await readFile(join(dir, 'workflow.yaml'), 'utf8')).toBe(run.loaded.source.text)
    expect(await readdir(join(dir, 'prompts'))).toContain('architect.md')
  })

  it('has the same digest whenever its content is the same', async () => {
    const run = await pipelineRun()
    const first = await freezeRun(await makeFolder(), run)
    expect(await freezeRun(await makeFolder(), run)).toEqual(first)
    expect(await freezeRun(await makeFolder(), { ...run, files: {} })).not.toEqual(first)
  })

  it.each([
    'prompts/architect.md',
    'schemas/plan.json',
    'workflow.yaml',
    'loaded.json',
    'settings.json',
    'files/task.md',
  ])('is refused when %s was changed or is gone', async (name) => {
    const dir = await makeFolder()
    await freezeRun(dir, await pipelineRun())
    const path = join(dir, name)
    await writeFile(path, `${await readFile(path, 'utf8')} `)
    await expect(loadFrozen(dir)).rejects.toMatchObject({
      code: 'run.frozen_changed',
      message: `${path} was changed since the run was started.`,
    })
    await rm(path)
    await expect(loadFrozen(dir)).rejects.toMatchObject({
      code: 'run.frozen_changed',
      message: `${path} is missing since the run was started.`,
    })
  })

  it('is refused when its manifest is gone, broken, leads outside, or is not the one that was recorded', async () => {
    const dir = await makeFolder()
    const { digest } = await freezeRun(dir, await pipelineRun())
    const path = join(dir, 'manifest.json')
    for (const text of [
      '{',
      '{}',
      '{ "format": 1, "files": { "../x": "0" } }',
      '{ "format": 1, "files": {} }',
    ]) {
      await writeFile(path, text)
      await expect(loadFrozen(dir, { digest })).rejects.toMatchObject({ code: 'run.frozen_changed' })
    }
    await rm(path)
    await expect(loadFrozen(dir)).rejects.toMatchObject({ code: 'run.frozen_changed' })
  })
})
