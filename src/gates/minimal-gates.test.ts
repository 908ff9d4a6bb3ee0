import { describe, expect, it } from 'vitest'
import { nothingCollected } from './gate.ts'
import type { GateFacts } from './gate.ts'
import { judgeGates } from './judge-gates.ts'

function judge(gate: Record<string, unknown> | string, facts: Partial<GateFacts>): string {
  const name = typeof gate === 'string' ? gate : (Object.keys(gate)[0] ?? '')
  const parameters = typeof gate === 'string' ? {} : gate
  const [report] = judgeGates([{ name, parameters: parameters as never }], { ...nothingCollected, ...facts })
  return `${report?.met === true ? 'met' : 'not met'}: ${report?.facts}`
}

describe('answer', () => {
  const gate = { answer: { task_id: 'T1', passed: false, report: 'x' }, ordered: true }

  it('C-42, R003-60: is met by the values that the engine knows', () => {
    expect(judge(gate, { answer: { task_id: 'T1', passed: false, report: 'x' } })).toMatch(/^met/)
    expect(judge(gate, { answer: { task_id: 'T1', passed: true, report: 'x' } })).toBe(
      'not met: passed is true, not false',
    )
    expect(judge(gate, { answer: { task_id: 'T1', passed: false } })).toBe(
      "not met: report is missing, not 'x'",
    )
  })

  it('R003-64: with ordered also asks for the order of the keys, and for no others', () => {
    expect(judge(gate, { answer: { passed: false, task_id: 'T1', report: 'x' } })).toMatch(
      /^not met: the keys are/,
    )
    expect(judge(gate, { answer: { task_id: 'T1', passed: false, report: 'x', more: 1 } })).toMatch(
      /^not met/,
    )
  })

  it('compares lists and objects by their values', () => {
    expect(judge({ answer: { a: { b: 1, c: [2] } } }, { answer: { a: { c: [2], b: 1 } } })).toMatch(/^met/)
    expect(judge({ answer: { a: [1, 2] } }, { answer: { a: [2, 1] } })).toMatch(/^not met/)
  })
})

describe('ids_in_order', () => {
  const gate = { ids_in_order: 'tasks', prefix: 'T' }
  const ids = (...names: readonly string[]) => ({ answer: { tasks: names.map((id) => ({ id })) } })

  it('R003-39, R003-45: is met by T1 to Tn in this order', () => {
    expect(judge(gate, ids('T1', 'T2', 'T3'))).toBe('met: T1 to T3')
    expect(judge(gate, ids('T2', 'T1'))).toBe("not met: number 1 is called 'T2', not 'T1'")
    expect(judge(gate, ids('T1', 'T3'))).toBe("not met: number 2 is called 'T3', not 'T2'")
    expect(judge(gate, ids('T1', 'T1'))).toMatch(/^not met/)
  })

  it('R003-36: is not met by an empty list', () => {
    expect(judge(gate, ids())).toBe('not met: there is nothing in the list')
  })
})

describe('artifacts_inside', () => {
  const gate = { artifacts_inside: 'tasks' }
  const artifacts = (...paths: readonly string[]) => ({ answer: { tasks: [{ id: 'T1', artifacts: paths }] } })

  it('R003-37, R003-43: is met by relative paths of files', () => {
    expect(judge(gate, artifacts('src/a.py', 'b.md'))).toBe('met: 2 paths, all of them inside')
    expect(judge(gate, artifacts())).toBe("not met: no artifacts: 'T1'")
  })

  it('R003-87: is not met by a path that leads elsewhere, or that the engine could not write', () => {
    expect(judge(gate, artifacts('../a'))).toBe("not met: '../a' leads elsewhere (. or ..)")
    expect(judge(gate, artifacts('/a'))).toBe("not met: '/a' is an absolute path")
    expect(judge(gate, { ...artifacts('src'), places: { src: 'is not a regular file' } })).toBe(
      "not met: 'src' is not a regular file",
    )
  })

  it('is not met by two names of one file', () => {
    expect(judge(gate, artifacts('a.py', 'A.py'))).toBe("not met: 'A.py' and 'a.py' are the same file")
  })
})

describe('edits', () => {
  const edited = (...paths: readonly string[]) => ({ answer: { edits: paths.map((path) => ({ path })) } })

  it('R003-54: edits_sorted is met by paths in order, each once', () => {
    expect(judge('edits_sorted', edited('B.py', 'a.py', 'é.py'))).toBe('met: 3 edits')
    expect(judge('edits_sorted', edited('b.py', 'a.py'))).toBe("not met: 'b.py' stands before 'a.py'")
    expect(judge('edits_sorted', edited('a.py', 'a.py'))).toMatch(/^not met/)
  })

  it('R003-51: edits_inside_artifacts is met by artifacts alone', () => {
    const gate = { edits_inside_artifacts: ['a.py', 'b.py'] }
    expect(judge(gate, edited('a.py'))).toBe("met: within 'a.py', 'b.py'")
    expect(judge(gate, edited('a.py', 'c.py'))).toBe("not met: not among the artifacts: 'c.py'")
  })

  it('R003-52, C-41: tests_untouched is met by new tests, not by changed ones', () => {
    const changed = (path: string, isNew: boolean) => ({ stepChanges: [{ path, isNew }] })
    expect(judge('tests_untouched', changed('tests/test_a.py', true))).toMatch(/^met/)
    expect(judge('tests_untouched', changed('src/a.py', false))).toMatch(/^met/)
    expect(judge('tests_untouched', changed('tests/test_a.py', false))).toBe(
      "not met: tests were changed: 'tests/test_a.py'",
    )
    expect(judge('tests_untouched', changed('tests/conftest.py', false))).toMatch(/^not met/)
  })
})
