import { describe, expect, it } from 'vitest'
import { artifactWritten, withinScope } from './always.ts'

describe('within_scope', () => {
  it('says how much was changed', () => {
    expect(withinScope({ changed: 0, outside: [] })).toEqual({
      ...{ gate: 'within_scope', met: true, facts: 'nothing was changed' },
    })
    expect(withinScope({ changed: 1, outside: [] }).facts).toBe(
      "1 path changed, all of them the role's to change",
    )
  })

  it("names what was not the role's to change, and counts what is too much to name (C-90)", () => {
    expect(withinScope({ changed: 3, outside: ['src/a.ts', 'b'] })).toEqual({
      ...{ gate: 'within_scope', met: false, facts: "changed what it may not change: 'src/a.ts', 'b'" },
    })
    const many = Array.from({ length: 25 }, (_, index) => `f${index}`)
    expect(withinScope({ changed: 25, outside: many }).facts).toMatch(/'f19' and 5 more$/)
  })
})

describe('artifact_written', () => {
  it('names what the agent wrote, and what the engine filed for it', () => {
    expect(artifactWritten({ written: ['a.md'], filed: [], missing: [] })).toEqual({
      ...{ gate: 'artifact_written', met: true, facts: "written in this step: 'a.md'" },
    })
    expect(artifactWritten({ written: ['a.md'], filed: ['b.md'], missing: [] })?.facts).toBe(
      "written in this step: 'a.md'; filed from the answer: 'b.md'",
    )
  })

  it('names what is missing', () => {
    expect(artifactWritten({ written: ['a.md'], filed: [], missing: ['b.md'] })).toEqual({
      ...{ gate: 'artifact_written', met: false, facts: "not written in this step: 'b.md'" },
    })
  })

  it('is not judged where nothing was asked for', () => {
    expect(artifactWritten({ written: [], filed: [], missing: [] })).toBeUndefined()
  })
})
