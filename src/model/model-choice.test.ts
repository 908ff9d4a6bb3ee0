import { describe, expect, it } from 'vitest'
import { chooseModel, judgeComplexity, sizeOfWork } from './model-choice.ts'
import type { ModelQuestion } from './model-choice.ts'

describe('which model plays a role (C-75, R002-13)', () => {
  const complexity = { level: 'high', from: 'stored' } as const
  const all: ModelQuestion = {
    ...{ asked: { model: 'asked', from: 'flag' }, pin: 'pinned', complexity },
    table: { low: 'small', high: 'large' },
  }
  const { asked: _asked, ...unasked } = all
  const { pin: _pin, ...unpinned } = unasked

  it('is what the person asked for, by flag, variable or settings', () => {
    expect(chooseModel(all)).toEqual({ model: 'asked', from: 'flag' })
  })

  it('else what the workflow says of the role', () => {
    expect(chooseModel(unasked)).toEqual({ model: 'pinned', from: 'role' })
  })

  it("R002-23: else that of the provider's table for the complexity, with the reason", () => {
    expect(chooseModel(unpinned)).toEqual({ model: 'large', from: 'complexity', complexity })
  })

  it('else whatever the tool takes by itself', () => {
    expect(chooseModel({ ...unpinned, complexity: { level: 'critical', from: 'asked' } })).toEqual({
      from: 'provider',
    })
  })
})

describe('how complex the work is (C-28)', () => {
  const values = { item: { id: 'T1' }, plan: { complexity: 'complex' }, review: { verdict: 'PASS' } }

  it('is what the person says, whatever is stored', () => {
    const asked = { asked: 'critical', values: { complexity: 'low' }, reads: [] } as const
    expect(judgeComplexity(asked)).toEqual({ level: 'critical', from: 'asked' })
  })

  it("is stored with the item, then the inputs, then the answers that the step reads, in a plan's words (C-76)", () => {
    const levelOf = (more: object, reads: string[] = []) =>
      judgeComplexity({ values: { ...values, ...more }, reads })
    expect(levelOf({ item: { complexity: 'simple' }, complexity: 'high' })).toEqual({
      ...{ level: 'low', from: 'stored' },
    })
    expect(levelOf({ complexity: 'medium' }, ['plan'])).toEqual({ level: 'medium', from: 'stored' })
    expect(levelOf({}, ['plan', 'review'])).toEqual({ level: 'high', from: 'stored' })
  })

  it('a word that nobody knows counts for nothing, and without any it is medium', () => {
    expect(judgeComplexity({ values: { complexity: 'toString' }, reads: ['plan'] })).toEqual({
      ...{ level: 'medium', from: 'default' },
    })
  })

  it.each([
    [0, 'low'],
    [4, 'low'],
    [5, 'medium'],
    [10, 'medium'],
    [11, 'high'],
    [20, 'high'],
    [21, 'critical'],
  ])('with %d points and specifications to deal with it is %s', (size, level) => {
    expect(judgeComplexity({ values: {}, reads: [], size })).toEqual({ level, from: 'size' })
  })

  it('points are the boxes of a task list; without a list there is nothing to count', () => {
    const list = { path: 'changes/a/tasks.md', text: '- [ ] 1.1 One\n- [x] 1.2 Two\n  * [ ] three\n- none\n' }
    const spec = { path: 'changes/a/specs/login.md', text: '# Login\n' }
    expect(sizeOfWork([list, spec, { path: 'proposal.md', text: 'why' }])).toBe(4)
    expect(sizeOfWork([spec])).toBeUndefined()
  })
})
