import { assert, jsonValue, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import { expand, expandValue, lookUp, UnknownVariableError, variablesOf } from './template.ts'

const values = {
  feat: 'dark_mode',
  n: 2,
  plan: { steps: [{ id: 'T1' }, { id: 'T2' }], score: null },
  flag: false,
}

describe('a template', () => {
  it('puts values in for names, deep ones and list items too', () => {
    expect(expand('{feat}_v{n}', values)).toBe('dark_mode_v2')
    expect(expand('{plan.steps.1.id} of {plan.steps.length}', values)).toBe('T2 of 2')
  })

  it('puts in what is no text as JSON', () => {
    expect(expand('{flag} {plan.score} {plan.steps}', values)).toBe('false null [{"id":"T1"},{"id":"T2"}]')
  })

  it('has two braces for one', () => {
    expect(expand('{{feat}} {{{feat}}}', values)).toBe('{feat} {dark_mode}')
  })

  it('refuses a name that nobody has given: a prompt with a hole in it is a bug', () => {
    expect(() => expand('{planet}', values)).toThrow(UnknownVariableError)
    expect(() => expand('{planet}', values)).toThrow("unknown variable '{planet}'")
  })

  it('a part of something that is not there is nothing: a step that has not run, a field left out', () => {
    expect(expand('[{plan.missing}{review.feedback}]', values)).toBe('[]')
  })

  it('leaves braces alone that are no variable', () => {
    for (const text of ['{ feat }', '{}', '{1}', 'a { b', '{"json": 1}'])
      expect(expand(text, values)).toBe(text)
  })

  it('does not expand what it has put in', () => {
    expect(expand('{a}', { a: '{feat}', feat: 'x' })).toBe('{feat}')
  })

  it('does not reach into what every JavaScript object has', () => {
    expect(lookUp('constructor', values)).toBeUndefined()
    expect(lookUp('feat.length', values)).toBeUndefined()
    expect(lookUp('plan.steps.map', values)).toBeUndefined()
    expect(lookUp('__proto__', values)).toBeUndefined()
  })

  it('tells its variables', () => {
    expect(variablesOf('{docs}/{item.id} {{no}} {docs}')).toEqual(['docs', 'item.id', 'docs'])
  })

  it('without braces is itself', () => {
    assert(
      property(string(), (text) => {
        const plain = text.replaceAll(/[{}]/g, '')
        expect(expand(plain, {})).toBe(plain)
      }),
    )
  })
})

describe('a value with templates', () => {
  it('keeps the type of a value that is all of the template', () => {
    expect(expandValue('{n}', values)).toBe(2)
    expect(expandValue('{plan.steps}', values)).toEqual([{ id: 'T1' }, { id: 'T2' }])
    expect(expandValue('{flag}', values)).toBe(false)
    expect(expandValue('n={n}', values)).toBe('n=2')
  })

  it('keeps null, which is a value too', () => {
    expect(expandValue('{plan.score}', values)).toBeNull()
  })

  it('goes into lists and objects, but not into keys', () => {
    expect(expandValue({ '{n}': ['{n}', { a: '{feat}' }], x: 1 }, values)).toEqual({
      ...{ '{n}': [2, { a: 'dark_mode' }], x: 1 },
    })
  })

  it('gives every value through unchanged by its name', () => {
    assert(
      property(jsonValue(), (value) => {
        expect(expandValue('{v}', { v: value as Json })).toEqual(value)
      }),
    )
  })
})
