// What a person waits for before anything happens.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, interleave, run } from './measure.mjs'
import { makeFixture } from './pipeline-fixture.mjs'

export async function measureStartUp({ main, dir, rounds }) {
  mkdirSync(dir, { recursive: true })
  const env = cleanEnvironment(join(dir, 'home'))
  await makeFixture(dir, { env })
  const cwd = join(dir, 'project')
  const node = (...words) => ({ act: () => run([process.execPath, ...words], { cwd, env }) })
  const [floor, version, help, runs] = await interleave(
    [node('-e', '0'), node(main, '--version'), node(main, '--help'), node(main, 'runs')],
    rounds,
  )
  return { floor, version, help, runs }
}
