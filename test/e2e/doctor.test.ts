// What a run would find here, before there is one.
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { baton, namesIn, smallProject, works } from './baton.ts'

interface Told {
  readonly machine: readonly { name: string; ok: boolean; says: string; mend?: string }[]
  readonly providers: readonly { name: string; ready: boolean }[]
}

async function ask(folder: string): Promise<{ code: number; told: Told }> {
  const home = await makeFolder()
  await writeFiles(home, { '.config/baton/config.yaml': 'sandbox: off\n' })
  const { code, stdout } = await baton(folder, ['doctor', '--json'], { home })
  return { code, told: JSON.parse(stdout) as Told }
}

const settings = 'checks: { tests: { command: [make, check] } }\n'

describe('baton doctor', () => {
  test('looks at programs, walls, repository, tests, disk, identity, remote, what is left of runs, the workflow and each provider', async () => {
    const { told } = await ask(await makeRepository({ '.baton/config.yaml': settings }))
    expect(told.machine.map(({ name, ok }) => [name, ok])).toEqual([
      ...[
        ['node', true],
        ['git', true],
        ['walls', true],
      ],
      ...[
        ['repository', true],
        ['tests', true],
        ['disk', true],
      ],
      ...[
        ['identity', true],
        ['remote', true],
        ['locks', true],
        ['runs', true],
        ['worktrees', true],
        ['workflow', true],
      ],
    ])
    expect(told.machine.find(({ name }) => name === 'tests')?.says).toBe('make check (settings)')
    expect(told.providers.length).toBeGreaterThan(2)
  })

  test('says with exit code 2 what is missing, and what mends it', async () => {
    const { code, told } = await ask(await makeRepository())
    expect(code).toBe(2)
    expect(told.machine.filter(({ ok }) => !ok)).toEqual([
      {
        ...{ name: 'tests', ok: false },
        says: 'no command found; steps that must pass the tests cannot pass',
        mend: 'Write checks.tests into .baton/config.yaml, or: baton init',
      },
    ])
  })

  test('looks for the base that the settings name, as a run does', async () => {
    const root = await makeRepository({ '.baton/config.yaml': `base: main\n${settings}` })
    const base = async (): Promise<unknown> =>
      (await ask(root)).told.machine.find(({ name }) => name === 'repository')
    await gitIn(root, 'checkout', '--quiet', '--detach')
    expect(await base()).toEqual({ name: 'repository', ok: true, says: `${root}, base main` })
    await writeFiles(root, { '.baton/config.yaml': `base: nowhere\n${settings}` })
    expect(await base()).toMatchObject({ ok: false, says: expect.stringContaining('nowhere') as string })
  })

  test('works outside a repository, which is then what is missing', async () => {
    const { code, told } = await ask(await makeFolder())
    expect(code).toBe(2)
    expect(told.machine.find(({ name }) => name === 'repository')).toMatchObject({ ok: false })
  })
})

test('a name that git does not know is missed by doctor, and said at the start of a run', async () => {
  const { root, script } = await smallProject(works)
  await gitIn(root, 'config', '--unset', 'user.email')
  const workflow = join(root, '.baton/workflows/small.yaml')
  await writeFile(workflow, (await readFile(workflow, 'utf8')).replace('commits: engine', 'commits: agent'))
  const { told } = await ask(root)
  const howTo =
    'git config --global user.name "<your name>" && git config --global user.email "<your address>"'
  expect(told.machine.find(({ name }) => name === 'identity')).toMatchObject({ ok: false, mend: howTo })
  const { code, stdout } = await baton(root, ['run', 'Write the work', '--script', script])
  expect(stdout).toContain(`Before the next run: ${howTo}`)
  expect(code).toBe(0)
})

describe('baton doctor --fix', () => {
  test('removes what dead processes have left: a lock, a run without a fact, a worktree that was deleted', async () => {
    const { root, script } = await smallProject(works)
    expect((await baton(root, ['run', 'Write the work', '--script', script])).code).toBe(0)
    const runs = join(root, '.baton/runs')
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', host: hostname() })
    await writeFile(join(runs, '1', 'lock'), dead)
    await mkdir(join(runs, '2'))
    await utimes(join(runs, '2'), 0, 0)
    await rm(join(root, '..', '.worktrees'), { recursive: true })
    const left = async (...flags: string[]): Promise<string[]> => {
      const { stdout } = await baton(root, ['doctor', '--json', ...flags])
      const { machine } = JSON.parse(stdout) as Told
      return machine.filter(({ name, ok }) => !ok && name !== 'walls').map(({ name }) => name)
    }
    expect(await left()).toEqual(['locks', 'runs', 'worktrees'])
    expect(await left('--fix')).toEqual([])
    expect(await left()).toEqual([])
    expect(await namesIn(runs)).not.toContain('2')
    expect((await baton(root, ['show', '1'])).code).toBe(0)
  })
})

test('a git that agents would not find is missed by doctor', async () => {
  const { root } = await smallProject(works)
  const { stdout } = await baton(root, ['doctor'], { env: { PATH: '/nowhere' } })
  expect(stdout).toMatch(/^not ok +git +not found in PATH\n +Install git/m)
})
