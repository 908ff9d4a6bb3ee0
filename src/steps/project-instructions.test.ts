import { describe, expect, it } from 'vitest'
import { togetherOf } from './project-instructions.ts'

describe("the project's own instructions", () => {
  it('are put together from all files that have something of their own to say', () => {
    const text = togetherOf([
      { name: 'AGENTS.md', text: 'Use tabs.' },
      { name: 'OTHER.md', text: 'Read [AGENTS.md](AGENTS.md).' },
      { name: 'THIRD.md', text: 'Use tabs.' },
      { name: 'FOURTH.md', text: 'Test first.' },
    ])
    expect(text).toBe(
      "From the project's AGENTS.md:\nUse tabs.\n\nFrom the project's FOURTH.md:\nTest first.",
    )
  })

  it('are nothing where there are none', () => {
    expect(togetherOf([{ name: 'AGENTS.md', text: '' }])).toBe('')
  })

  it('are cut where they are longer than a prompt should be', () => {
    expect(togetherOf([{ name: 'AGENTS.md', text: 'x'.repeat(100_000) }]).length).toBeLessThan(61_000)
  })
})
