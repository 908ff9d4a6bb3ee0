import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { makeFolder, writeFiles } from '../../test/support/git.ts'
import { FailureError } from '../model/failure.ts'
import { layersFor } from './layers.ts'
import { loadWorkflow } from './load-workflow.ts'
import type { LoadOptions } from './load-workflow.ts'
import { lineOf, problemsOf } from './problems.ts'

/** The workflow `team` of a project with these files below `.baton/`: what is wrong with it, with its fixes. */
async function problemsWith(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await makeFolder()
  await writeFiles(join(root, '.baton'), files)
  const options: LoadOptions = {
    layers: layersFor({ projectRoot: root, env: { HOME: join(root, 'home') } }),
    defaultProvider: 'alpha',
    actions: { deliver: ['moved', 'none'] },
    gates: gateShapes,
  }
  const error: unknown = await loadWorkflow('team', options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return []
  if (!(error instanceof FailureError)) throw error
  return problemsOf(error).map((problem) =>
    `${lineOf(problem)} -> ${problem.fix}`.replaceAll(join(root, '.baton/'), ''),
  )
}

describe("An 'each' over the answer of a step whose schema is known", () => {
  const workflow = (list: string): string => `name: team
roles:
  planner: { prompt: a.md, output: plan.json }
  worker: { prompt: a.md }
steps:
  - { id: plan, agent: planner }
  - id: all
    each: ${list}
    steps: [{ id: work, agent: worker }]
`
  const withSchema = async (list: string, schema: unknown): Promise<string[]> =>
    problemsWith({
      'workflows/team.yaml': workflow(list),
      'prompts/a.md': 'Do it.\n',
      'schemas/plan.json': JSON.stringify(schema),
    })
  const tasks = { type: 'array', items: { type: 'object' } }
  const plan = { type: 'object', properties: { tasks, title: { type: 'string' }, risks: tasks } }

  it('is refused where the answer has no such field, and the list that is meant is proposed', async () => {
    expect(await withSchema('plan.task', plan)).toEqual([
      "workflows/team.yaml:8:11: 'each' names 'plan.task', but an answer of step 'plan' has no 'task' by its schema 'plan.json' -> write 'plan.tasks'",
    ])
  })

  it('is refused where the field is no list, with the lists that there are', async () => {
    expect(await withSchema('"{plan.title}"', plan)).toEqual([
      "workflows/team.yaml:8:11: 'each' names 'plan.title', which is no list by the schema 'plan.json' of step 'plan' -> write one of plan.tasks, plan.risks",
    ])
  })

  it('is refused where the answer has no list at all, with what the schema needs', async () => {
    const none = { type: 'object', properties: { title: { type: 'string' } } }
    expect(await withSchema('plan.tasks', none)).toEqual([
      "workflows/team.yaml:8:11: 'each' names 'plan.tasks', but an answer of step 'plan' has no 'tasks' by its schema 'plan.json' -> add 'tasks' with \"type\": \"array\" to schemas/plan.json",
    ])
  })

  it('is looked up as deep as it is written', async () => {
    const deep = { type: 'object', properties: { work: { type: 'object', properties: { tasks } } } }
    expect(await withSchema('plan.work.tasks', deep)).toEqual([])
    expect(await withSchema('plan.work.tsks', deep)).toEqual([
      "workflows/team.yaml:8:11: 'each' names 'plan.work.tsks', but an answer of step 'plan' has no 'work.tsks' by its schema 'plan.json' -> write 'plan.work.tasks'",
    ])
  })

  it('is taken where the list is one that the engine adds to the answer', async () => {
    expect(await withSchema('plan.findings', plan)).toEqual([])
  })

  it.each([
    ['names one of its lists', plan],
    ['has a schema that names no fields', { type: 'object' }],
    ['has a schema that allows others', { type: 'object', properties: {}, additionalProperties: true }],
    [
      'has a schema with patterns of names',
      { type: 'object', properties: {}, patternProperties: { '^t': tasks } },
    ],
    [
      'is one of several shapes',
      {
        type: 'object',
        properties: { title: {} },
        anyOf: [{ properties: { tasks } }, { required: ['title'] }],
      },
    ],
    ['may be a list or nothing', { type: 'object', properties: { tasks: { type: ['array', 'null'] } } }],
    ['says nothing about the kind of the field', { type: 'object', properties: { tasks: {} } }],
    [
      'is described elsewhere',
      { $defs: { t: tasks }, type: 'object', properties: { tasks: { $ref: '#/$defs/t' } } },
    ],
  ])('is taken where the answer %s', async (_, schema) => {
    expect(await withSchema('plan.tasks', schema)).toEqual([])
  })
})

describe('A variable of a prompt that can have no value where its step stands', () => {
  const workflow = `name: team
inputs: { docs: { default: "no" } }
roles:
  planner: { prompt: plan.md, system: rules.md }
  worker: { prompt: work.md, system: rules.md }
steps:
  - { id: plan, agent: planner }
  - id: all
    each: plan.tasks
    steps: [{ id: work, agent: worker }]
`
  const withPrompts = async (prompts: Readonly<Record<string, string>>): Promise<string[]> =>
    problemsWith({
      'workflows/team.yaml': workflow,
      ...Object.fromEntries(
        Object.entries({
          'plan.md': 'Plan.\n',
          'work.md': 'Work.\n',
          'rules.md': 'Rules.\n',
          ...prompts,
        }).map(([name, text]) => [`prompts/${name}`, text]),
      ),
    })

  it("is refused as an item outside 'each', at its place in the prompt", async () => {
    expect(await withPrompts({ 'plan.md': 'Plan.\nBegin with {item.title}.\n' })).toEqual([
      "prompts/plan.md:2:12: there is no '{item}' outside 'each', where step 'plan' uses this prompt -> remove '{item.title}', or write '{{item.title}}' for the braces themselves",
    ])
  })

  it("is refused also in a prompt that a step inside an 'each' shares", async () => {
    expect(await withPrompts({ 'rules.md': 'Keep to {item.id}.\n' })).toEqual([
      "prompts/rules.md:1:9: there is no '{item}' outside 'each', where step 'plan' uses this prompt -> remove '{item.id}', or write '{{item.id}}' for the braces themselves",
    ])
  })

  it('is refused as what a step has only once it has ended, with the steps that have it', async () => {
    expect(await withPrompts({ 'work.md': 'See {commit} and {answer.title}.\n' })).toEqual([
      "prompts/work.md:1:5: '{commit}' has no value in the prompt of step 'work', which has not ended there -> name the step that is meant: '{plan.commit}'",
      "prompts/work.md:1:18: '{answer.title}' has no value in the prompt of step 'work', which has not ended there -> name the step that is meant: '{plan.title}'",
    ])
  })

  it('is pointed at where it stands, not at the same word in plain braces above it', async () => {
    expect(await withPrompts({ 'work.md': 'Not {{dcos}}.\nBut {dcos}.\n' })).toEqual([
      "prompts/work.md:2:5: unknown variable '{dcos}' -> write '{docs}', or '{{dcos}}' for the braces themselves",
    ])
  })

  it('is no item of a list, no input, no step that may not have run and no field that an answer may leave out', async () => {
    const text =
      '{item.title} {docs} {plan.notes} {work.outcome} {feedback} {n} {step} {repo_summary} {branch}\n'
    expect(await withPrompts({ 'work.md': text })).toEqual([])
  })
})

describe("A workflow whose 'name' is not that of its file", () => {
  const workflow = `name: tem
roles:
  planner: { prompt: plan.md }
steps:
  - { id: plan, agent: planner }
`

  it('is told so where its prompts are in the folder that is called like the file', async () => {
    const files = { 'workflows/team.yaml': workflow, 'prompts/team/plan.md': 'Plan.\n' }
    expect(await problemsWith(files)).toEqual([
      "workflows/team.yaml:1:7: the file is called 'team', but its 'name' is 'tem', and so the prompt 'plan.md' of role 'planner' is not looked for in prompts/team -> write 'name: team'",
    ])
  })

  it('is told so as well where the prompt is nowhere', async () => {
    expect((await problemsWith({ 'workflows/team.yaml': workflow })).join()).toMatch(
      /^workflows\/team.yaml:3:22: prompt 'plan.md' of role 'planner' is missing; looked for prompts\/tem\/plan.md, .* \('name' is 'tem', the file is called 'team'\) -> create prompts\/tem\/plan.md/,
    )
  })

  it('is taken where all that it names is found', async () => {
    expect(await problemsWith({ 'workflows/team.yaml': workflow, 'prompts/plan.md': 'Plan.\n' })).toEqual([])
  })
})
