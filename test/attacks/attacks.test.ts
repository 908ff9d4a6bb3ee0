import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWalled } from '../support/room.ts'
import { breaksThrough, worksUnprotected } from './battle.ts'
import type { Layout } from './battle.ts'
import { makeField } from './field.ts'
import type { Field } from './field.ts'
import { gitAttacks } from './git-attacks.ts'
import { machineAttacks } from './machine-attacks.ts'

const self = process.getuid?.() ?? 0
const isRoot = self === 0
const attacks = [...gitAttacks, ...machineAttacks].filter(({ rootOnly }) => isRoot || rootOnly !== true)
const layouts: readonly Layout[] = (['agent', 'test'] as const).map((by) => ({ name: by, by }))

describe.skipIf(!isWalled)('attacks (R001-79, R001-80, R001-83)', () => {
  let field: Field
  let ordinary: Field | undefined
  beforeAll(async () => {
    field = await makeField(self)
    ordinary = isRoot ? await makeField(65_534) : undefined
  })
  afterAll(async () => {
    await field.close()
    await ordinary?.close()
  })

  it('are at least 120', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(120)
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length)
  })

  it.each(attacks)('$name: works without walls, and not behind them, whoever runs it', async (attack) => {
    expect(await worksUnprotected(field, attack), 'without walls').toBe(true)
    for (const at of ordinary ? [field, ordinary] : [field])
      for (const layout of layouts)
        expect(await breaksThrough(at, attack, layout), `${layout.name} of ${at.uid}`).toBeUndefined()
  })

  it.each([
    {
      wall: 'the network is shared',
      without: (argv: readonly string[]) => argv.toSpliced(argv.indexOf('--remount-ro'), 0, '--share-net'),
      name: 'network: a service of this machine',
    },
    {
      wall: 'the main repository can be written',
      without: (argv: readonly string[], { env }: Field) =>
        argv.toSpliced(argv.indexOf('--remount-ro'), 0, '--bind', env['MAIN'] ?? '', env['MAIN'] ?? ''),
      name: 'refs: a ref written as a file',
    },
    {
      wall: 'the home is shown',
      without: (argv: readonly string[], { person }: Field) =>
        argv.toSpliced(argv.indexOf('--remount-ro'), 0, '--ro-bind', person, person),
      name: 'secrets: a private key',
    },
  ])('get through where $wall: the suite can fail', async ({ without, name }) => {
    const attack = attacks.find((one) => one.name === name)
    if (attack === undefined) throw new Error(`no attack ${name}`)
    const layout: Layout = { name: 'broken', by: 'agent', without }
    expect(await breaksThrough(field, attack, layout)).toBeDefined()
  })
})
