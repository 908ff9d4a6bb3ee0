import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, writeFiles } from '../../test/support/git.ts'
import type { SettingsFlags } from './gather-settings.ts'
import { layersFor } from './layers.ts'
import { explainSettings, loadSettings } from './load-settings.ts'
import type { LoadedSettings } from './load-settings.ts'

interface Files {
  readonly project: string
  readonly user?: string
  readonly flags?: SettingsFlags
}

async function load({ project, user, flags = {} }: Files): Promise<LoadedSettings> {
  const folder = await makeFolder()
  const projectRoot = join(folder, 'project')
  await writeFiles(folder, { 'project/.baton/config.yaml': project })
  if (user !== undefined) await writeFiles(folder, { 'config/baton/config.yaml': user })
  const env = { XDG_CONFIG_HOME: join(folder, 'config') }
  return loadSettings({ layers: layersFor({ projectRoot, env }), env, flags })
}

describe('The file of a project', () => {
  it.each([
    ['takes the walls down', 'sandbox: off\n', undefined, '--sandbox off'],
    ['takes down those that the user wants', 'sandbox: off\n', 'sandbox: required\n', '--sandbox off'],
    ['shares logins', 'login: share\n', undefined, 'login: share'],
    ['shares logins against the user', 'login: share\n', 'login: none\n', 'login: share'],
    [
      'hands variables of the user to its own program',
      'providers: { tool: { command: [./tool], env: [SECRET] } }\n',
      undefined,
      "'providers.tool'",
    ],
    ['names the variable with a key', 'http: { key_variable: SECRET }\n', undefined, 'http.key_variable'],
    ['names a script elsewhere', 'scripted: { script: ../other.yaml }\n', undefined, 'scripted.script'],
    ['names a script anywhere', 'scripted: { script: /tmp/other.yaml }\n', undefined, 'scripted.script'],
    ['names who is told', 'notify: [{ command: [./tool] }]\n', undefined, 'notify'],
  ])('is refused where it %s', async (_, project, user, next) => {
    await expect(load({ project, ...(user === undefined ? {} : { user }) })).rejects.toMatchObject({
      code: 'settings.foreign',
      message: expect.stringMatching(/config\.yaml:1: /),
      next: expect.stringContaining(next),
    })
  })

  it('names the file of the user, wherever that is, as the place for it', async () => {
    const next = expect.stringContaining(join('config', 'baton', 'config.yaml'))
    await expect(load({ project: 'sandbox: off\n' })).rejects.toMatchObject({ next })
  })

  it('may say what the user says as well, and what is stricter', async () => {
    const same = 'sandbox: off\nlogin: share\n'
    expect((await load({ project: same, user: same })).settings).toMatchObject({
      ...{ sandbox: 'off', login: 'share' },
    })
    const strict = 'sandbox: required\nlogin: none\nremote_check: abort\n'
    const { settings } = await load({ project: strict, user: `${same}remote_check: warn\n` })
    expect(settings).toMatchObject({ sandbox: 'required', login: 'none', remoteCheck: 'abort' })
  })

  const limits = (cost: string, memory: string): string =>
    `max_cost: ${cost}\nmax_tokens: ${cost}\ntime_limit: ${cost === 'none' ? '9h' : `${cost}h`}\nremote_check: off\nlimits: { memory: ${memory} }\n`

  it.each([
    ['tighter numbers count', '2', '1GB', 2, 1e9, 'project'],
    ['wider numbers do not', '8', '9GB', 5, 4e9, 'user'],
    ["'none' lifts no limit", 'none', '9GB', 5, 4e9, 'user'],
  ])('bounds what a run may use: %s', async (_, cost, memory, number, memoryBytes, layer) => {
    const user = limits('5', '4GB').replace('remote_check: off', 'remote_check: abort')
    const { settings, sources } = await load({ project: limits(cost, memory), user })
    expect(settings).toMatchObject({ maxCost: number, maxTokens: number, remoteCheck: 'abort' })
    expect(settings).toMatchObject({ timeLimitMs: number * 3_600_000, limits: { memoryBytes } })
    expect(sources).toMatchObject({ max_cost: { layer }, time_limit: { layer }, 'limits.memory': { layer } })
    expect(sources['remote_check']).toMatchObject({ layer: 'user' })
  })

  it('bounds it also where the user has said nothing, or that there is no limit', async () => {
    const project = limits('3', '20GB')
    const expected = { maxCost: 3, maxTokens: 3, limits: { memoryBytes: 20e9 }, remoteCheck: 'off' }
    expect((await load({ project })).settings).toMatchObject(expected)
    const user = 'max_cost: none\nmax_tokens: none\n'
    expect((await load({ project, user })).settings).toMatchObject(expected)
  })

  it('is under the flags, which may lift every limit', async () => {
    const { settings } = await load({
      ...{ project: limits('3', '1GB'), user: limits('5', '4GB') },
      flags: { max_cost: 'none', sandbox: 'off' },
    })
    expect(settings.maxCost).toBeUndefined()
    expect(settings.sandbox).toBe('off')
  })

  it('changes neither a tool nor a price that the user has described', async () => {
    const project =
      'providers: { tool: { command: [./theirs] }, other: { command: [./other] } }\nprices: { big: { input: 0, output: 0 }, small: { input: 1, output: 1 } }\n'
    const user =
      'providers: { tool: { command: [mine], env: [KEY] } }\nprices: { big: { input: 2, output: 8 } }\n'
    const { settings } = await load({ project, user })
    expect(settings.providers).toEqual({
      ...{ tool: { command: ['mine'], env: ['KEY'] }, other: { command: ['./other'] } },
    })
    expect(settings.prices).toEqual({ big: { input: 2, output: 8 }, small: { input: 1, output: 1 } })
  })

  it('that names a script has its agents play behind walls, unless the user wants none', async () => {
    const project = 'provider: scripted\nscripted: { script: .baton/script.yaml }\n'
    const loaded = await load({ project })
    expect(loaded.settings.sandbox).toBe('required')
    expect(explainSettings(loaded).find(({ key }) => key === 'sandbox')?.source).toMatch(
      /^project \(.*config\.yaml:2\)$/,
    )
    expect((await load({ project, user: 'sandbox: off\n' })).settings.sandbox).toBe('off')
    expect((await load({ project, flags: { sandbox: 'off' } })).settings.sandbox).toBe('off')
    expect((await load({ project: 'provider: scripted\n' })).settings.sandbox).toBeUndefined()
  })

  it("cannot make use of the user's word that his own model server may be elsewhere", async () => {
    const user = 'http: { base_url: "https://mine.example.org/v1", remote: true }\n'
    const { settings } = await load({
      project: 'http: { base_url: "https://theirs.example.org/v1" }\n',
      user,
    })
    expect(settings.http).toMatchObject({ baseUrl: 'https://theirs.example.org/v1', remote: false })
    expect((await load({ project: 'http: { model: m }\n', user })).settings.http).toMatchObject({
      remote: true,
    })
  })
})
