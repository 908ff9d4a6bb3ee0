import { describe, expect, it } from 'vitest'
import { choosePlayer } from './quota.ts'

describe('who plays a role', () => {
  const role = { provider: 'alpha', fallback: 'beta' }

  it('is its own provider as long as that takes calls', () => {
    const alpha = { type: 'player', provider: 'alpha', isFallback: false }
    expect(choosePlayer(role, new Map(), 100)).toEqual(alpha)
    expect(choosePlayer(role, new Map([['alpha', 100]]), 100)).toEqual(alpha)
    expect(choosePlayer(role, new Map([['beta', 900]]), 100)).toEqual(alpha)
  })

  it('is its fallback while its own provider has no quota', () => {
    expect(choosePlayer(role, new Map([['alpha', 101]]), 100)).toEqual({
      ...{ type: 'player', provider: 'beta', isFallback: true },
    })
  })

  it('is nobody until the first of them is back', () => {
    const both = new Map([
      ['alpha', 500],
      ['beta', 300],
    ])
    expect(choosePlayer(role, both, 100)).toEqual({ type: 'nobody', until: 300 })
    expect(choosePlayer({ provider: 'alpha' }, both, 100)).toEqual({ type: 'nobody', until: 500 })
  })
})
