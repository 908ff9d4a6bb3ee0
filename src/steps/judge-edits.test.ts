import { describe, expect, it } from 'vitest'
import { judgeEdits } from './judge-edits.ts'

describe('the edits of an answer', () => {
  const rules = { mayWrite: ['src/a.py', 'docs/'], content: 10 }
  const problem = (...edits: readonly (readonly [string, string])[]) => {
    const judged = judgeEdits(
      edits.map(([path, content]) => ({ path, content })),
      rules,
    )
    return judged.type === 'refused' ? judged.problem : undefined
  }

  it('R003-20, R003-53: are whole files, each with a path and its content', () => {
    expect(judgeEdits([{ path: 'src/a.py', content: 'x' }], rules)).toEqual({
      type: 'fine',
      edits: [{ path: 'src/a.py', content: 'x' }],
    })
    for (const wrong of [
      undefined,
      {},
      [1],
      [{ path: 'src/a.py' }],
      [{ path: 'src/a.py', content: 'x', diff: '' }],
    ])
      expect(judgeEdits(wrong as never, rules).type).toBe('refused')
  })

  it('R003-51, R003-56: are refused for a file that is not listed', () => {
    expect(problem(['src/a.py', ''], ['src/b.py', ''])).toBe(
      "'src/b.py' is none of the files that this step may write",
    )
    expect(problem(['docs/deep/x.md', ''])).toBeUndefined()
  })

  it('are refused for two names of one file, or a file where a folder is needed', () => {
    expect(problem(['docs/A', ''], ['docs/a', ''])).toBe(
      "'docs/a' and 'docs/A' are the same file: give it once",
    )
    expect(problem(['docs/a/b', ''], ['docs/a', ''])).toBe(
      "'docs/a/b' needs a folder where 'docs/a' is a file",
    )
  })

  it('C-35: have a limit for the content of a file, in characters', () => {
    expect(problem(['src/a.py', '😀'.repeat(10)])).toBeUndefined()
    expect(problem(['src/a.py', 'x'.repeat(11)])).toBe(
      "the content of 'src/a.py' has 11 characters, at most 10 are taken",
    )
  })
})
