// Projects with dependencies are set up, built and tested behind walls: what is declared can be reached, nothing else.
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureCommand } from '../../src/platform/capture.ts'
import { baton, documentOf } from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import type { Files } from '../support/git.ts'
import { changes, hardHome, scriptOf, shell } from '../support/hard.ts'
import type { Entry } from '../support/pipeline.ts'
import { isWalled } from '../support/room.ts'

async function behindWalls(files: Files, does: Entry): Promise<{ root: string; ended: Ended }> {
  const root = await makeRepository(files)
  const script = await scriptOf([does])
  const flags = ['--json', '--workflow', 'tested', '--sandbox', 'required', '--script', script]
  return { root, ended: await baton(root, ['run', 'Write the work', ...flags], { home: await hardHome() }) }
}

/** Passed through the gateway, or the reason why not: asked from inside, whatever the tools make of it. */
const askFor = (port: number): string =>
  `node -e "require('http').get({port:3128,host:'127.0.0.1',path:'http://127.0.0.1:${port}/adder'},(r)=>process.exit(r.statusCode===200?0:r.statusCode===403?43:1)).on('error',()=>process.exit(44))"`

describe.skipIf(!isWalled)('behind walls', () => {
  let registry: Registry
  let secret: Registry
  beforeAll(async () => {
    registry = await openRegistry()
    secret = await openRegistry()
  })
  afterAll(() => {
    registry.server.close()
    secret.server.close()
  })

  test('an npm project installs from the one host that is declared, builds and is tested without any', async () => {
    const setup = [
      // The registry of this test is on this machine, where nobody would take the way through the gateway.
      ['env', '-u', 'NO_PROXY', '-u', 'no_proxy', 'npm', 'install', '--no-audit', '--no-fund'],
      ['sh', '-c', askFor(registry.port)],
      ['sh', '-c', `${askFor(secret.port)}; test $? = 43`],
    ]
    const settings = { worktree: { setup, setup_network: [`127.0.0.1:${registry.port}`] } }
    const runs = [
      { argv: ['npm', 'run', 'build'], must: true },
      { argv: ['npm', 'test'], must: true },
      shell(`${askFor(registry.port)}; test $? = 44`),
      // The cache of the set-up is the run's own, and not in reach of the agent.
      shell('test ! -e "$HOME/.npm/_cacache/index-v5"'),
    ]
    const { root, ended } = await behindWalls(
      {
        'package.json':
          '{ "name": "till", "dependencies": { "adder": "1.0.0" }, "scripts": { "test": "node --test", "build": "node build.js" } }\n',
        '.npmrc': `registry=http://127.0.0.1:${registry.port}/\n`,
        'build.js': "require('fs').writeFileSync('built.txt', String(require('adder')(2, 3)))\n",
        'a.test.js':
          "require('node:test')('adds', () => require('node:assert').equal(require('adder')(2, 3), 5))\n",
        '.gitignore': 'node_modules\nbuilt.txt\npackage-lock.json\n',
        '.baton/config.yaml': `${JSON.stringify(settings)}\n`,
      },
      { writes: { 'work.txt': 'done\n' }, runs },
    )
    expect(ended.code, ended.stderr).toBe(0)
    const { branch, walls, worktree } = documentOf(ended)
    expect(walls).toBe('bubblewrap')
    expect(await changes(root, branch)).toEqual({ 'work.txt': 'done' })
    expect(await readFile(join(worktree, 'built.txt'), 'utf8')).toBe('5')
    expect(registry.asked()).toBeGreaterThan(1)
    expect(secret.asked()).toBe(0)
  })

  test('a pytest project is compiled and tested by the agent and by the engine, with caches of its own', async () => {
    const pytest = await captureCommand(['python3', '-m', 'pytest', '--version'], {
      env: { PATH: '/usr/bin:/bin' },
    })
    expect(pytest.code, 'this test needs pytest: sudo apt install python3-pytest').toBe(0)
    const { root, ended } = await behindWalls(
      {
        'pytest.ini': '[pytest]\npythonpath = src\n',
        'src/adder.py': 'def add(a, b):\n    return a + b\n',
        'test_adder.py':
          'import os, socket\nfrom adder import add\n\ndef test_adds():\n    assert add(2, 3) == 5\n\ndef test_has_no_network():\n    s = socket.socket()\n    assert s.connect_ex(("127.0.0.1", int(os.environ.get("PORT", "80")))) != 0\n',
        '.gitignore': '__pycache__\n.pytest_cache\n',
      },
      {
        writes: { 'work.txt': 'done\n' },
        runs: [
          { argv: ['python3', '-m', 'compileall', '-q', 'src'], must: true },
          { argv: ['python3', '-m', 'pytest', '-q'], must: true },
          shell('test -d .pytest_cache && ! touch /usr/lib/python3/x 2>/dev/null'),
        ],
      },
    )
    expect(ended.code, ended.stderr).toBe(0)
    expect(await changes(root, documentOf(ended).branch)).toEqual({ 'work.txt': 'done' })
  })
})

interface Registry {
  readonly server: Server
  readonly port: number
  asked(): number
}

/** One package of one version, as npm asks for it. */
async function openRegistry(): Promise<Registry> {
  const folder = await makeFolder()
  await mkdir(join(folder, 'package'))
  await writeFiles(folder, {
    'package/package.json': '{ "name": "adder", "version": "1.0.0", "main": "adder.js" }\n',
    'package/adder.js': 'module.exports = (a, b) => a + b\n',
  })
  const tarball = join(folder, 'adder.tgz')
  const argv = ['tar', '-czf', tarball, '-C', folder, 'package'] as const
  await captureCommand(argv, { env: { PATH: '/usr/bin:/bin' } })
  const bytes = await readFile(tarball)
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    if (request.url?.endsWith('.tgz') === true) return void response.end(bytes)
    const dist = { tarball: `http://${request.headers.host ?? ''}/adder-1.0.0.tgz` }
    const versions = { '1.0.0': { name: 'adder', version: '1.0.0', main: 'adder.js', dist } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: 'adder', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return { server, port, asked: () => count }
}
