import { describe, expect, it } from 'vitest'
import { nothingCollected as facts } from './gate.ts'
import { gateShapes, judgeGates, namedGates, needsOf } from './judge-gates.ts'

describe('gates', () => {
  it('are judged all, in the order of the workflow', () => {
    const specs = [
      { name: 'tests_pass', parameters: {} },
      { name: 'commit_is_new', parameters: {} },
    ]
    expect(judgeGates(specs, facts).map(({ gate }) => gate)).toEqual(['tests_pass', 'commit_is_new'])
  })

  it('tell which facts they need, so that no others are gathered', () => {
    const needs = (name: string): string[] => [...needsOf([{ name, parameters: {} }])]
    expect(needs('score')).toEqual([])
    expect(needs('tests_pass')).toEqual(['tests'])
    expect(needs('plan_has_parts')).toEqual(['artifacts'])
  })

  it('that hold for every step can be named, and are not judged a second time', () => {
    expect(Object.keys(gateShapes)).toEqual(expect.arrayContaining(['within_scope', 'artifact_written']))
    const specs = ['within_scope', 'score', 'artifact_written'].map((name) => ({ name, parameters: {} }))
    expect(namedGates(specs).map(({ name }) => name)).toEqual(['score'])
  })

  it('keep their facts short, for they stand in the journal', () => {
    const tests = { type: 'not_run', reason: 'x'.repeat(10_000) } as const
    const [report] = judgeGates([{ name: 'tests_pass', parameters: {} }], { ...facts, tests })
    expect(report?.facts.length).toBe(4000)
  })

  it('have names that the loader knows; another is a bug', () => {
    expect(Object.keys(gateShapes)).toContain('tests_pass')
    expect(() => judgeGates([{ name: 'nothing', parameters: {} }], facts)).toThrow("no gate 'nothing'")
  })
})
