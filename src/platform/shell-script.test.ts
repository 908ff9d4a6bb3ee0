import { describe, expect, it } from 'vitest'
import { codesIn } from './shell-script.ts'
import type { ShellPlan } from './shell-script.ts'

describe('the answer of a resident shell', () => {
  const command = { executable: 'true', args: [], cwd: '/', env: {} }
  const one: ShellPlan = { commands: [command], maxBytes: 1 }
  const two: ShellPlan = { commands: [command, command], maxBytes: 1 }

  it.each([
    [one, '0\n', [0]],
    [one, '137\n', [137]],
    [two, '-0\n1\n', [0, 1]],
    [two, '1\n-141\n', [141, 1]],
  ])('is an exit code for each command, whichever ended first', (plan, text, codes) => {
    expect(codesIn(text, plan)).toEqual(codes)
  })

  it.each([
    [one, ''],
    [one, '13'],
    [two, '-0\n'],
    [two, '-0\n1'],
  ])('is awaited until it is whole', (plan, text) => {
    expect(codesIn(text, plan)).toBeUndefined()
  })

  it.each([
    [one, 'hello\n'],
    [one, '0\n0\n'],
    [one, '-0\n'],
    [two, '0\n1\n'],
    [two, '-0\n1\n2\n'],
  ])('is nothing else, whoever has written it', (plan, text) => {
    expect(codesIn(text, plan)).toBe('no answer')
  })
})
