import { describe, expect, it } from 'vitest'
import { agent, workflowOf } from '../../test/support/workflow-values.ts'
import { turnOf, verbsAt } from './stretch.ts'

const workflow = workflowOf([agent('a'), agent('b'), agent('c')], {
  modes: {
    all: { from: 'a' },
    begin: { from: 'a', to: 'a', starts: true },
    again: { from: 'a', to: 'a' },
    rest: { from: 'b', to: 'c' },
  },
})

describe('a verb', () => {
  it('goes on at the step where the run stands, if that belongs to it', () => {
    expect(turnOf(workflow, { mode: 'rest', anyway: false }, 'c')).toEqual({ type: 'goes', from: 'c' })
    expect(turnOf(workflow, { mode: 'all', anyway: false }, 'b')).toEqual({ type: 'goes', from: 'b' })
  })

  it('is done where the run is past it, and early where it is not that far', () => {
    expect(turnOf(workflow, { mode: 'begin', anyway: false }, 'b')).toEqual({ type: 'done' })
    expect(turnOf(workflow, { mode: 'rest', anyway: false }, 'a')).toEqual({ type: 'early' })
  })

  it('goes from its own beginning where it is wanted anyway', () => {
    expect(turnOf(workflow, { mode: 'begin', anyway: true }, 'c')).toEqual({ type: 'goes', from: 'a' })
  })
})

it('the shortest verb comes first, and of two the same the one that begins no run, unless nothing was done yet', () => {
  expect(verbsAt(workflow, 'a', true)).toEqual(['again', 'begin', 'all'])
  expect(verbsAt(workflow, 'a', false)).toEqual(['begin', 'again', 'all'])
  expect(verbsAt(workflow, 'c', true)).toEqual(['rest', 'all'])
})
