// A tool that only the settings know is a provider like any other, also for who only looks.
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { baton } from './baton.ts'

const workflow = `name: mine
roles:
  writer: { prompt: writer.md, provider: my-tool }
  reader: { prompt: writer.md, provider: my-tool, fallback: other-tool }
steps:
  - { id: write, agent: writer }
  - { id: read, agent: reader }
`

const settings = `workflow: mine
checks: { tests: { command: [make, check] } }
`

const ownSettings = `sandbox: off
providers:
  my-tool: { command: [my-tool, --write] }
  other-tool: { command: [other-tool] }
  idle-tool: { command: [idle-tool] }
`

async function ownProject(...tools: string[]): Promise<{ root: string; home: string; PATH: string }> {
  const root = await makeRepository({
    '.baton/config.yaml': settings,
    '.baton/workflows/mine.yaml': workflow,
    '.baton/prompts/writer.md': 'You write.\n',
  })
  const home = await makeFolder()
  await writeFiles(home, {
    '.config/baton/config.yaml': ownSettings,
    '.gitconfig': '[user]\nname = A\nemail = a@example.org\n',
    ...Object.fromEntries(tools.map((tool) => [`bin/${tool}`, '#!/bin/sh\n'])),
  })
  for (const tool of tools) await chmod(join(home, 'bin', tool), 0o755)
  return { root, home, PATH: `${home}/bin:/usr/bin:/bin` }
}

interface Told {
  readonly machine: readonly { name: string; ok: boolean; says: string; mend?: string }[]
  readonly providers: readonly { name: string; ready: boolean; roles: readonly string[] }[]
}

test('every command that reads a workflow knows the tools of the settings, as a run does', async () => {
  const { root, home } = await ownProject()
  for (const words of [
    ['workflow', 'validate', 'mine'],
    ['workflow', 'graph', 'mine'],
    ['prompt', 'show', 'mine', 'writer'],
    ['firewall', 'test', 'git push'],
  ]) {
    const { code, stderr } = await baton(root, words, { home })
    expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 0, ''])
  }
  const unknown = await baton(root, ['workflow', 'validate', 'mine'])
  expect(unknown.stderr).toContain("unknown provider 'my-tool'")
})

describe('baton doctor', () => {
  test('is ready where the tools that the workflow uses are there, whatever else is missing', async () => {
    const { root, home, PATH } = await ownProject('my-tool', 'other-tool')
    const { code, stdout } = await baton(root, ['doctor'], { home, env: { PATH } })
    expect(stdout).toMatch(/^ok +my-tool +\S+\/my-tool; for all roles$/m)
    expect(stdout).toMatch(/^ok +other-tool +\S+\/other-tool; for reader$/m)
    expect(stdout).toMatch(/^- +idle-tool +not found in PATH$/m)
    expect(stdout).toContain('Ready.')
    expect(code).toBe(0)
  })

  test('is not ready where one is missing, and says which role needs it', async () => {
    const { root, home, PATH } = await ownProject('my-tool')
    const { code, stdout } = await baton(root, ['doctor', '--json'], { home, env: { PATH } })
    const { providers } = JSON.parse(stdout) as Told
    expect(providers.filter(({ roles }) => roles.length > 0)).toEqual([
      expect.objectContaining({ name: 'my-tool', ready: true, roles: ['writer', 'reader'] }),
      expect.objectContaining({ name: 'other-tool', ready: false, roles: ['reader'] }),
    ])
    expect(stdout).not.toMatch(/"[a-z]+[A-Z]\w*":/)
    expect(code).toBe(2)
  })

  test('a workflow that cannot be read is a finding like any other', async () => {
    const { root, home } = await ownProject()
    const { code, stdout } = await baton(root, ['doctor', '--json', '--workflow', 'mien'], { home })
    const { machine } = JSON.parse(stdout) as Told
    expect(machine.find(({ name }) => name === 'workflow')).toEqual({
      ...{ name: 'workflow', ok: false, says: "There is no workflow 'mien'." },
      mend: expect.stringContaining("Did you mean 'mine'?"),
    })
    expect(code).toBe(2)
  })
})
