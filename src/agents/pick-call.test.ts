import { describe, expect, it } from 'vitest'
import { pickCall } from './pick-call.ts'
import { parseScript } from './script-file.ts'

function picked(
  source: string,
  at: { step?: string; role?: string; visit?: number; call?: number; item?: string },
) {
  const { step = 'build', role = 'developer', visit = 1, call = 1, item = '' } = at
  return pickCall(parseScript(source, 'demo.yaml'), {
    step,
    role,
    visit,
    call,
    values: { item: { id: item } },
  })
}

describe('picking a call', () => {
  const script = `
roles:
  developer:
    - { prints: first visit }
    - calls:
        - { prints: second visit }
        - { prints: second visit repaired }
    - { prints: third visit }
steps:
  fix:
    - { prints: the step itself }
`

  it('gives each visit of a step its entry', () => {
    expect(picked(script, { visit: 2 })).toEqual({ prints: 'second visit' })
  })

  it('repeats the last entry for all further visits', () => {
    expect(picked(script, { visit: 9 })).toEqual({ prints: 'third visit' })
  })

  it('gives each call within a visit its own, and repeats the last', () => {
    const calls = [1, 2, 3].map((call) => picked(script, { visit: 2, call })?.prints)
    expect(calls).toEqual(['second visit', 'second visit repaired', 'second visit repaired'])
  })

  it('repeats a plain entry for all calls of its visit', () => {
    expect(picked(script, { visit: 1, call: 4 })).toEqual({ prints: 'first visit' })
  })

  it('prefers the step to the role', () => {
    expect(picked(script, { step: 'fix' })).toEqual({ prints: 'the step itself' })
  })

  it('gives nothing for a role that the script does not name, whatever the name', () => {
    expect(['writer', 'constructor', '__proto__'].map((role) => picked(script, { role }))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('counts visits among the entries whose `when` holds', () => {
    const items = `
roles:
  developer:
    - { when: { item.id: T1 }, prints: T1 }
    - { when: { item.id: T2 }, prints: T2 at first }
    - { when: { item.id: T2 }, prints: T2 again }
`
    const prints = (item: string, visit: number) => picked(items, { item, visit })?.prints
    expect([prints('T1', 2), prints('T2', 1), prints('T2', 2), prints('T3', 1)]).toEqual([
      'T1',
      'T2 at first',
      'T2 again',
      undefined,
    ])
  })

  it('lays the defaults under every call', () => {
    const delayed =
      'defaults: { delay: 2s }\nroles: { developer: [{ prints: a }, { prints: b, delay: 5ms }] }'
    expect([picked(delayed, {}), picked(delayed, { visit: 2 })]).toEqual([
      { delay: 2000, prints: 'a' },
      { delay: 5, prints: 'b' },
    ])
  })
})
