import { describe, expect, it } from 'vitest'
import { baton } from '../e2e/baton.ts'
import { makeRepository } from '../support/git.ts'
import { kinds, startModelServer } from '../support/model-servers/model-server.ts'
import type { ModelServer } from '../support/model-servers/model-server.ts'
import { toolPath } from './tools.ts'

interface Told {
  readonly providers: readonly {
    readonly name: string
    readonly ready: boolean
    readonly program?: string
    readonly version?: string
    readonly tested: string
    readonly is_supported: boolean
    readonly access?: string
  }[]
}

const keyOf = { gemini: 'GEMINI_API_KEY', claude: 'ANTHROPIC_API_KEY', codex: 'CODEX_API_KEY' }

describe('baton doctor with the real tools', () => {
  it('says of each: found, its version, that it is supported, how it gets in; and asks no model', async () => {
    const root = await makeRepository()
    const servers = await Promise.all(kinds.map((kind) => startModelServer(kind, () => ({ say: 'no' }))))
    const env = Object.assign({ PATH: toolPath }, ...servers.map((server) => server.env)) as Record<
      string,
      string
    >
    const withKeys = JSON.parse((await baton(root, ['doctor', '--json'], { env })).stdout) as Told
    for (const kind of kinds) {
      const found = withKeys.providers.find(({ name }) => name === kind)
      expect(found).toMatchObject({
        ...{ ready: true, is_supported: true, program: expect.stringContaining(kind) },
        ...{ version: found?.tested, access: `key in ${keyOf[kind]}` },
      })
    }
    expect(JSON.stringify(withKeys)).not.toContain('fake-')
    const without = JSON.parse(
      (await baton(root, ['doctor', '--json'], { env: { PATH: toolPath } })).stdout,
    ) as Told
    for (const kind of kinds) {
      const found = without.providers.find(({ name }) => name === kind)
      expect(found).toMatchObject({ ready: false, version: found?.tested })
      expect(found?.access).toBeUndefined()
    }
    expect(asked(servers)).toBe(0)
    for (const server of servers) await server[Symbol.asyncDispose]()
  })
})

function asked(servers: readonly ModelServer[]): number {
  return servers.reduce((sum, server) => sum + server.asked.length, 0)
}
