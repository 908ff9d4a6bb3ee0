import { describe, expect, test } from 'vitest'
import { settingsFileSchema } from '../model/settings.ts'
import { firstSettings } from './first-settings.ts'
import type { FoundProject } from './first-settings.ts'
import { parseYamlDocument } from './yaml-document.ts'

const bare: FoundProject = { base: 'main', isRemote: false, link: [], copy: [] }

async function read(found: FoundProject): Promise<unknown> {
  const { value, problems } = await parseYamlDocument('config.yaml', firstSettings(found))
  expect(problems).toEqual([])
  return settingsFileSchema.parse(value)
}

describe('the first settings', () => {
  test('of a project about which nothing is known are a base and comments', async () => {
    expect(await read(bare)).toEqual({ base: 'main', deliver: 'local' })
  })

  test('name no base where the remote has one: its name would mean the local branch', async () => {
    const remote = { ...bare, isRemote: true }
    expect(await read(remote)).toEqual({ deliver: 'local' })
    expect(firstSettings(remote)).toContain('\n# base: main ')
  })

  test('hold what was found', async () => {
    const found = {
      ...{ ...bare, base: 'origin/release 1', tests: ['python3', '-m', 'pytest', '-q'] },
      ...{ link: ['node_modules'], copy: ['.env'] },
    }
    expect(await read(found)).toEqual({
      ...{ base: 'origin/release 1', deliver: 'local' },
      checks: { tests: { command: ['python3', '-m', 'pytest', '-q'] } },
      worktree: { link: ['node_modules'], copy: ['.env'] },
    })
  })

  test.each(['true', 'no', '12', '- a', 'a: b', '#x', "it's"])(
    'take a branch named %s for a text',
    async (base) => {
      expect(await read({ ...bare, base })).toMatchObject({ base })
    },
  )

  test("name a provider, and leave its login to the user's own", async () => {
    expect(firstSettings({ ...bare, provider: 'some-tool' })).toContain('\nprovider: some-tool\n')
    expect(firstSettings({ ...bare, provider: 'some-tool' })).not.toContain('\nlogin: share')
  })
})
