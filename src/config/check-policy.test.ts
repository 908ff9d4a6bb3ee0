import { describe, expect, it } from 'vitest'
import { builtIn, workflow } from '../../test/support/policy-files.ts'

describe('A policy that a file declares', () => {
  it('R003-14, C-37: of no network refuses a provider that needs one, also one that the settings put in', async () => {
    const file = 'policy: { network: none }\n'
    await expect(workflow(file, { defaultProvider: 'far' })).rejects.toMatchObject({ code: 'policy.network' })
    await expect(workflow(file, { defaultProvider: 'near', providerOverride: 'far' })).rejects.toMatchObject({
      code: 'policy.network',
      message: "Workflow 'w' allows no network, and the provider 'far' of role 'a' needs one.",
      next: 'Choose one that needs none: --provider near',
    })
    expect((await workflow(file, { defaultProvider: 'near' })).policy).toMatchObject({ network: 'none' })
  })

  it('C-64: of tests that are not changed needs the gate, or files that the engine writes', async () => {
    const role = (more: string) => `policy: { tests: read_only }\ndefaults: { may_write: ["**"]${more} }\n`
    await expect(workflow(role(''))).rejects.toThrow("'tests: read_only' is not held to by step 's'")
    const edits = ', edits: engine, answer: json_only'
    expect((await workflow(role(edits))).policy).toMatchObject({ tests: 'read_only' })
  })

  it('of a cut must make texts shorter, and fit into a journal', async () => {
    const cut = (above: number, head: number) =>
      `policy: { cut: { above: ${above}, head: ${head}, between: "...", tail: 10 } }\n`
    await expect(workflow(cut(100, 95))).rejects.toThrow("'cut' would make a text longer")
    await expect(workflow(cut(50_000, 10))).rejects.toThrow('at most 20000 can be')
    expect((await workflow(cut(100, 80))).policy.cut).toEqual({
      above: 100,
      head: 80,
      between: '...',
      tail: 10,
    })
  })

  it('is refused where nobody would follow it: other words than those there are', async () => {
    await expect(workflow('policy: { network: some }\n')).rejects.toMatchObject({ code: 'workflow.invalid' })
    await expect(workflow('policy: { tests: must_write }\n')).rejects.toMatchObject({
      code: 'workflow.invalid',
    })
    await expect(workflow('policy: { secrets: none }\n')).rejects.toThrow("unknown key 'secrets'")
  })

  it('with files in answers needs answers that are nothing but JSON, and a committing engine', async () => {
    await expect(workflow('defaults: { edits: engine }\n')).rejects.toThrow('its answer may hold other text')
    await expect(
      workflow('defaults: { edits: engine, answer: json_only, commits: agent }\n'),
    ).rejects.toThrow("role 'a' cannot commit what the engine writes")
  })

  it('R003-02, R003-04, R003-18: of minimal holds three roles to JSON, without tools and without network', async () => {
    const { policy, roles } = (await builtIn('minimal')).workflow
    expect(policy).toMatchObject({
      ...{ network: 'none', tests: 'read_only' },
      limits: { text: 4000, content: 200_000, answer: 400_000 },
      cut: { above: 4000, head: 2500, between: '\n...\n', tail: 1000 },
    })
    expect(Object.keys(roles)).toEqual(['planner', 'coder', 'tester'])
    for (const role of Object.values(roles)) {
      expect(role).toMatchObject({ answer: 'json_only', capabilities: [], commits: 'engine', repair: 0 })
    }
  })
})
