import { expect, it } from 'vitest'
import { modelTable } from './model-tables.ts'

it('R002-14: Gemini is Flash for what is easy and Pro for what is not', () => {
  const { low, high, critical } = modelTable('gemini', {})
  expect([low, high, critical]).toEqual(['flash', 'pro', 'pro'])
})

it('R002-15: Claude is Sonnet for what is easy and Opus for what is not', () => {
  const { low, medium, high, critical } = modelTable('claude', {})
  expect([low, medium, high, critical]).toEqual(['sonnet', 'sonnet', 'opus', 'opus'])
})

it('the settings overrule it level by level, and are all that a provider without a table has', () => {
  expect(modelTable('claude', { claude: { low: 'haiku' } })).toMatchObject({ low: 'haiku', high: 'opus' })
  expect(modelTable('mine', { mine: { high: 'large' } })).toEqual({ high: 'large' })
  expect(modelTable('mine', {})).toEqual({})
})
