// What a run would find here, before there is one.
import { describe, expect, test } from 'vitest'
import { makeFolder, makeRepository } from '../support/git.ts'
import { baton } from './baton.ts'

interface Told {
  readonly machine: readonly { name: string; ok: boolean; says: string; mend?: string }[]
  readonly providers: readonly { name: string; ready: boolean }[]
}

async function ask(folder: string): Promise<{ code: number; told: Told }> {
  const { code, stdout } = await baton(folder, ['doctor', '--json'])
  return { code, told: JSON.parse(stdout) as Told }
}

const settings = 'sandbox: off\nchecks: { tests: { command: [make, check] } }\n'

describe('baton doctor', () => {
  test('looks at programs, walls, repository, tests and disk, and at each provider', async () => {
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
    ])
    expect(told.machine.find(({ name }) => name === 'tests')?.says).toBe('make check (settings)')
    expect(told.providers.length).toBeGreaterThan(2)
  })

  test('says with exit code 2 what is missing, and what mends it', async () => {
    const { code, told } = await ask(await makeRepository({ '.baton/config.yaml': 'sandbox: off\n' }))
    expect(code).toBe(2)
    expect(told.machine.filter(({ ok }) => !ok)).toEqual([
      {
        ...{ name: 'tests', ok: false },
        says: 'no command found; steps that must pass the tests cannot pass',
        mend: 'Write checks.tests into .baton/config.yaml, or: baton init',
      },
    ])
  })

  test('works outside a repository, which is then what is missing', async () => {
    const { code, told } = await ask(await makeFolder())
    expect(code).toBe(2)
    expect(told.machine.find(({ name }) => name === 'repository')).toMatchObject({ ok: false })
  })
})
