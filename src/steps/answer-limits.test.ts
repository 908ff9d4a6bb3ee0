import { describe, expect, it } from 'vitest'
import { roleOf } from '../../test/support/workflow-values.ts'
import { limitProblems } from './answer-limits.ts'

describe('the limits of an answer', () => {
  const limits = { text: 4000, content: 200_000, answer: 400_000 }
  const coder = roleOf('coder', { edits: 'engine' })
  const edit = (content: string) => ({ edits: [{ path: 'a.py', content }] })

  it.each(['title', 'rationale', 'acceptance', 'reason', 'report'])(
    'R003-84: %s may have 4000 characters',
    (name) => {
      expect(limitProblems(limits, coder, { [name]: '😀'.repeat(4000) })).toEqual([])
      expect(limitProblems(limits, coder, { [name]: 'x'.repeat(4001) })).toEqual([
        `${name}: has 4001 characters, at most 4000 are taken`,
      ])
    },
  )

  it('R003-84: hold for every text, however deep it stands', () => {
    const tasks = [{ title: 'x'.repeat(5000) }]
    expect(limitProblems(limits, coder, { tasks })).toEqual([
      'tasks.0.title: has 5000 characters, at most 4000 are taken',
    ])
  })

  it('C-35: let a file be longer than a text, up to a limit of its own', () => {
    expect(limitProblems(limits, coder, edit('x'.repeat(200_000)))).toEqual([])
    expect(limitProblems(limits, coder, edit('x'.repeat(200_001)))).toEqual([
      'edits.0.content: has 200001 characters, at most 200000 are taken',
    ])
    const three = { edits: ['a', 'b', 'c'].map((path) => ({ path, content: 'x'.repeat(150_000) })) }
    expect(limitProblems(limits, coder, three)).toEqual([
      `the answer has ${JSON.stringify(three).length} characters, at most 400000 are taken`,
    ])
  })

  it('do not exist where the workflow names none', () => {
    expect(limitProblems(undefined, coder, { reason: 'x'.repeat(1_000_000) })).toEqual([])
  })
})
