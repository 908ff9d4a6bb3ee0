import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import { findVerbs } from './find-verbs.ts'
import { layersFor } from './layers.ts'

const file = (name: string, modes: string): string =>
  `name: ${name}\ninputs: { goal: {}, id: { identifies: true } }\nmodes: ${modes}\nsteps: [{ id: a, ask: "Go on?" }]\n`

async function projectWith(files: Readonly<Record<string, string>>): Promise<ReturnType<typeof layersFor>> {
  const projectRoot = await makeFolder()
  await mkdir(join(projectRoot, '.baton', 'workflows'), { recursive: true })
  for (const [name, text] of Object.entries(files))
    await writeFile(join(projectRoot, '.baton', 'workflows', name), text)
  return layersFor({ projectRoot, env: {} })
}

it('every mode of every workflow is a verb, with the words that it takes', async () => {
  const layers = await projectWith({
    'mine.yaml': file('mine', '{ look: a, peek: { from: a, to: a, takes: [id] } }'),
  })
  const verbs = (await findVerbs(layers)).filter(({ workflow }) => workflow === 'mine')
  expect(verbs.map(({ name, takes }) => [name, takes])).toEqual([
    ['look', ['goal']],
    ['peek', ['id']],
  ])
})

it('a file that cannot be read takes away no verb of another', async () => {
  const layers = await projectWith({ 'bad.yaml': 'name: [', 'mine.yaml': file('mine', '{ look: a }') })
  expect((await findVerbs(layers)).map(({ name }) => name)).toContain('look')
})

it('of two with the same name, that of the stronger layer counts', async () => {
  const layers = await projectWith({ 'mine.yaml': file('mine', '{ bugfix: a }') })
  const verbs = (await findVerbs(layers)).filter(({ name }) => name === 'bugfix')
  expect(verbs.map(({ workflow }) => workflow)).toEqual(['mine'])
})
