import { expect, test } from 'vitest'
import { agent, roleOf, workflowOf } from '../../test/support/workflow-values.ts'
import { providersOf } from './workbench.ts'

test('all who would play a role are asked for: in steps, as fallback, and who only judges', () => {
  const workflow = workflowOf([agent('code', { role: { provider: 'first', fallback: 'second' } })])
  const judged = {
    ...workflow,
    roles: { judge: roleOf('judge', { provider: 'third' }) },
    supervision: { role: 'judge', every: true, escalation: [], emits: {}, on: {} },
  }
  expect(providersOf(workflow)).toEqual(['first', 'second'])
  expect(providersOf(judged)).toEqual(['first', 'second', 'third'])
})
