// The workflow file itself: who plays, with which models, what their answers must have.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../src/model/json.ts'
import { lookUp } from '../../src/model/template.ts'
import { loadedSupervised } from '../support/goal-run.ts'

const workflow = await loadedSupervised({})

async function schema(name: string): Promise<ReturnType<typeof lookUp>> {
  const text = await readFile(new URL(`../../workflows/schemas/${name}`, import.meta.url), 'utf8')
  return JSON.parse(text) as ReturnType<typeof lookUp>
}

async function promptOf(name: string): Promise<string> {
  return readFile(new URL(`../../workflows/prompts/supervised/${name}`, import.meta.url), 'utf8')
}

describe('the supervised workflow', () => {
  it('asks for the models of the specification (R004-07, R004-13, R004-19, R004-25)', () => {
    const models = Object.entries(workflow.roles).map(([name, { model }]) => `${name} ${model ?? ''}`)
    expect(models).toEqual(['supervisor sonnet', 'planner opus', 'coder opus', 'tester sonnet'])
  })

  it('wants plans of 2 to 15 steps, each with a complexity (R004-14, R004-15)', async () => {
    const plan = await schema('plan_2_15.json')
    const steps = isJsonObject(plan) ? lookUp('properties.steps', plan) : undefined
    expect(steps).toMatchObject({ minItems: 2, maxItems: 15 })
    expect(isJsonObject(steps) && lookUp('items.properties.complexity.enum', steps)).toEqual([
      ...['simple', 'medium', 'complex'],
    ])
  })

  it('hands the coder one step, and tells it to follow the patterns of the project (R004-20, R004-24)', async () => {
    const code = workflow.fragments['work']?.find(({ id }) => id === 'code')
    expect(code?.with).toEqual({ step: '{item}' })
    expect(await promptOf('coder.md')).toContain('Follow the patterns of the project')
  })

  it('wants a fix plan with FIX, and always a word about coverage (R004-29, R004-30)', async () => {
    expect(await schema('test_result.json')).toMatchObject({
      required: ['verdict', 'coverage'],
      then: { required: ['fix_plan'] },
    })
  })

  it('puts the points of the specification to the supervisor (R004-122, R004-124, R004-126)', () => {
    expect(workflow.gates?.['plan']?.points.join('\n')).toMatch(/actionable[^]*reasonable/)
    expect(workflow.gates?.['code']?.points[0]).toContain('addresses the requirements of the step')
  })

  it('tries a failing agent three times with growing delays (R004-148)', () => {
    expect(workflow.roles['coder']?.retry).toEqual({ maxAttempts: 3, delayMs: 5000, backoff: 2 })
  })
})
