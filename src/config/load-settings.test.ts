import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, writeFiles } from '../../test/support/git.ts'
import type { SettingsOptions } from './gather-settings.ts'
import { layersFor } from './layers.ts'
import { explainSettings, loadSettings } from './load-settings.ts'
import type { LoadedSettings } from './load-settings.ts'

interface Place extends Omit<SettingsOptions, 'flags'> {
  readonly root: string
  readonly user: string
}

async function placeWith(files: {
  project?: string
  user?: string
  env?: Record<string, string>
}): Promise<Place> {
  const folder = await makeFolder()
  const [root, user] = [join(folder, 'project'), join(folder, 'config', 'baton')]
  if (files.project !== undefined) await writeFiles(root, { '.baton/config.yaml': files.project })
  if (files.user !== undefined) await writeFiles(user, { 'config.yaml': files.user })
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), ...files.env }
  return { root, user, env, layers: layersFor({ projectRoot: root, env }) }
}

function load(place: Place, flags: SettingsOptions['flags'] = {}): Promise<LoadedSettings> {
  return loadSettings({ ...place, flags })
}

describe('Settings', () => {
  const limits = { memoryBytes: 8e9, processes: 2000, fileBytes: 10e9 }

  it('have defaults', async () => {
    const { settings, sources } = await load(await placeWith({}))
    expect(settings).toEqual({
      workflow: 'pipeline',
      checks: {},
      models: {},
      prices: {},
      worktree: { copy: [], link: [], setup: [], setupTimeoutMs: 600_000, setupNetwork: [], ports: [] },
      limits,
      providers: {},
    })
    expect(sources['workflow']).toEqual({ layer: 'default', where: '' })
  })

  it('come from the project over the user key by key, checks by name, lists whole (C-80)', async () => {
    const place = await placeWith({
      user: 'provider: alpha\nchecks:\n  tests: { command: [make, test] }\n  lint: { command: [make, lint], optional: true }\nworktree: { copy: [.env], ports: [PORT] }\n',
      project:
        '# ours\nmodel: big\ntime_limit: 2h\nchecks:\n  tests: { command: [npm, test], timeout: 5m, labels: { 5: no_tests } }\nworktree:\n  copy: [a, b]\n',
    })
    const { settings, sources } = await load(place)
    expect(settings).toEqual({
      ...{
        workflow: 'pipeline',
        provider: 'alpha',
        model: 'big',
        modelFrom: 'settings',
        timeLimitMs: 7_200_000,
      },
      checks: {
        tests: {
          command: ['npm', 'test'],
          timeoutMs: 300_000,
          optional: false,
          labels: { '5': 'no_tests' },
          network: [],
        },
        lint: { command: ['make', 'lint'], timeoutMs: 600_000, optional: true, labels: {}, network: [] },
      },
      models: {},
      prices: {},
      worktree: {
        copy: ['a', 'b'],
        link: [],
        setup: [],
        setupTimeoutMs: 600_000,
        setupNetwork: [],
        ports: ['PORT'],
      },
      limits,
      providers: {},
    })
    const user = (line: number): object => ({
      layer: 'user',
      where: `${join(place.user, 'config.yaml')}:${line}`,
    })
    const project = (line: number): object => ({
      layer: 'project',
      where: `${join(place.root, '.baton/config.yaml')}:${line}`,
    })
    expect(sources).toMatchObject({
      provider: user(1),
      model: project(2),
      'checks.tests': project(5),
      'checks.lint': user(4),
      'worktree.copy': project(7),
      'worktree.ports': user(5),
      'worktree.link': { layer: 'default', where: '' },
    })
  })

  it('R002-12: AGENTD_MODEL names the model where BATON_MODEL does not, and both over the files', async () => {
    const modelOf = async (env: Record<string, string>) => {
      const { settings } = await load(await placeWith({ project: 'model: big\n', env }))
      return [settings.model, settings.modelFrom]
    }
    expect(await modelOf({})).toEqual(['big', 'settings'])
    expect(await modelOf({ AGENTD_MODEL: 'old' })).toEqual(['old', 'environment'])
    expect(await modelOf({ AGENTD_MODEL: 'old', BATON_MODEL: 'new' })).toEqual(['new', 'environment'])
  })

  it('hold models by provider and complexity, prices, and limits that a flag may lift', async () => {
    const project =
      'models: { alpha: { low: small, high: large } }\nprices: { large: { input: 2, output: 8 } }\nmax_cost: 5\nmax_tokens: 1000\ncomplexity: complex\n'
    const user = 'models: { beta: { low: tiny } }\nmax_cost: 9\n'
    const { settings } = await load(await placeWith({ project, user }), { max_tokens: 'none' })
    expect(settings).toMatchObject({
      ...{ models: { alpha: { low: 'small', high: 'large' }, beta: { low: 'tiny' } }, complexity: 'high' },
      ...{ prices: { large: { input: 2, output: 8 } }, maxCost: 5 },
    })
    expect(settings.maxTokens).toBeUndefined()
  })

  it('of the environment are over those of files, and flags over all', async () => {
    const env = { BATON_PROVIDER: 'beta', BATON_MODEL: 'medium', BATON_WORKFLOW: '' }
    const place = await placeWith({ project: 'provider: alpha\nmodel: big\nworkflow: mine\n', env })
    const { settings, sources } = await load(place, { model: 'small', time_limit: '90s', base: undefined })
    expect(settings).toMatchObject({
      workflow: 'mine',
      provider: 'beta',
      model: 'small',
      timeLimitMs: 90_000,
    })
    expect(sources).toMatchObject({
      provider: { layer: 'env', where: 'BATON_PROVIDER' },
      model: { layer: 'flag', where: '--model' },
      time_limit: { layer: 'flag', where: '--time-limit' },
    })
  })

  it('are explained with the source of each value (C-80)', async () => {
    const place = await placeWith({ project: 'workflow: mine\n' })
    const rows = explainSettings(await load(place, { provider: 'alpha' }))
    expect(rows.filter(({ key }) => !key.startsWith('limits.')).slice(0, 3)).toEqual([
      { key: 'provider', value: 'alpha', source: 'flag (--provider)' },
      { key: 'workflow', value: 'mine', source: `project (${join(place.root, '.baton/config.yaml')}:1)` },
      { key: 'worktree.copy', value: '[]', source: 'default' },
    ])
  })

  it('name a script relative to the project', async () => {
    const place = await placeWith({ project: 'scripted: { script: demo/script.yaml }\n' })
    expect((await load(place)).settings.script).toBe(join(place.root, 'demo/script.yaml'))
  })

  it('may be a file with nothing but comments', async () => {
    expect((await load(await placeWith({ project: '# nothing yet\n' }))).settings.workflow).toBe('pipeline')
  })

  it.each([
    ['an unknown key', 'modle: big\n', ":1:1: unknown key 'modle'", "write 'model'"],
    [
      'a key of a check',
      'checks:\n  tests: { comand: [a] }\n',
      ":2:12: unknown key 'comand' in check 'tests'",
      "write 'command'",
    ],
    [
      'a command that is no list',
      'checks:\n  tests: { command: npm test }\n',
      ":2:21: 'command' of check 'tests' must be a list of words such as [make, test], not text",
      'write [npm, test]',
    ],
    [
      'an exit code that is a word',
      'checks:\n  tests: { command: [a], labels: { five: x } }\n',
      ":2:36: 'five' is not text that matches /^\\d+$/",
      'write text that matches /^\\d+$/',
    ],
    [
      'a command for a shell',
      'checks:\n  tests: { command: make && ./test }\n',
      ":2:21: 'command' of check 'tests' must be a list of words",
      'write [sh, -c, "make && ./test"]',
    ],
    [
      'a time that is a number',
      'time_limit: 5\n',
      ":1:13: 'time_limit' must be a duration such as 90s, 30m or 2h, not a number",
      'write 5m for minutes, 5s for seconds or 5h for hours',
    ],
    [
      'a time without a unit',
      'time_limit: "20"\n',
      ":1:13: '20' is not a duration such as 90s, 30m or 2h",
      'write a duration such as 90s, 30m or 2h',
    ],
    ['no time at all', 'time_limit: 0s\n', ":1:13: '0s' is not a duration longer than 0", 'such as 90s'],
    [
      'no time for a check',
      'checks: { tests: { command: [make], timeout: 0s } }\n',
      ":1:46: '0s' is not a duration longer than 0",
      'write a duration longer than 0',
    ],
    ['a model without a name', 'model: ""\n', ":1:8: '' is not the name of a model", 'write the name'],
    ['a cost of nothing', 'max_cost: 0\n', ":1:11: 'max_cost' must be more than 0", 'more than 0'],
    ['no tokens', 'max_tokens: 0\n', ":1:13: 'max_tokens' must be at least 1", 'at least 1'],
    ['a way of delivering', 'deliver: loca\n', ":1:10: 'deliver' cannot be 'loca'", "write 'local'"],
    [
      'a port that is no variable',
      'worktree: { ports: [port] }\n',
      ":1:21: 'port' is not a variable name such as PORT",
      'write a variable name such as PORT',
    ],
  ])('are refused for %s, at its line', async (_, project, message, next) => {
    const place = await placeWith({ project })
    await expect(load(place)).rejects.toMatchObject({
      code: 'settings.invalid',
      message: expect.stringContaining(`${join(place.root, '.baton/config.yaml')}${message}`),
      next: expect.stringContaining(next),
    })
  })

  it('are refused for a flag with a value that no file may have', async () => {
    await expect(load(await placeWith({}), { time_limit: 'soon' })).rejects.toMatchObject({
      code: 'settings.invalid',
      message: "--time-limit: 'soon' is not a duration such as 90s, 30m or 2h",
    })
  })

  it('are refused where a folder has the name of their file', async () => {
    const place = await placeWith({})
    await writeFiles(place.root, { '.baton/config.yaml/notes.txt': 'mine\n' })
    const file = join(place.root, '.baton/config.yaml')
    await expect(load(place)).rejects.toMatchObject({
      code: 'settings.invalid',
      message: `${file} is a folder, and settings are a file.`,
      next: `Give the folder another name: mv ${file} <another name>`,
    })
  })

  it('are refused when two files of a layer could give them', async () => {
    const place = await placeWith({ project: 'model: big\n' })
    await writeFiles(place.root, { '.baton/config.json': '{}' })
    await expect(load(place)).rejects.toMatchObject({ code: 'settings.invalid', next: 'keep one of them' })
  })
})
