import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { makeFolder, writeFiles } from '../../test/support/git.ts'
import { FailureError } from '../model/failure.ts'
import { layersFor } from './layers.ts'
import { loadWorkflow } from './load-workflow.ts'
import { agentErrors } from '../model/agent.ts'
import type { LoadOptions } from './load-workflow.ts'
import { problemsOf } from './problems.ts'

const twoEyes = `name: two-eyes
inputs: { task: { required: true } }
defaults: { provider: beta, on: { failed: ask, blocked: ask } }
roles:
  writer:   { prompt: writer.md, capabilities: [read, edit, shell, commit], may_write: ["**"], commits: agent }
  security: { prompt: security.md, capabilities: [read], verdicts: { verdict: { PASS: ok, FAIL: revise } } }
  style:    { prompt: style.md, capabilities: [read], verdicts: { verdict: { PASS: ok, FAIL: revise } } }
steps:
  - id: write
    agent: writer
    reads: [security, style, person]
    gates: [commit_is_new, tests_pass]
    on: { revise: { to: write, limit: 2, then: ask } }
  - id: security
    agent: security
    reads: [diff]
    on: { revise: { to: write, limit: 3, then: ask } }
  - id: style
    agent: style
    reads: [diff]
    on: { revise: { to: write, limit: 3, then: ask } }
  - id: person
    ask: "Merge '{branch}'?"
    on: { revise: { to: write, limit: 9, then: fail } }
  - { id: deliver, do: deliver }
`

const small =
  'name: small\nroles:\n  writer: { prompt: writer.md, output: answer.json }\nsteps:\n  - { id: write, agent: writer }\n'

interface Place {
  readonly root: string
  readonly home: string
  readonly options: LoadOptions
}

/** A project and a user's home with the files given, and what the engine offers to workflows. */
async function placeWith(files: Readonly<Record<string, string>>): Promise<Place> {
  const folder = await makeFolder()
  await writeFiles(folder, files)
  const [root, home] = [join(folder, 'project'), join(folder, 'home')]
  const options: LoadOptions = {
    layers: layersFor({ projectRoot: root, env: { HOME: home } }),
    defaultProvider: 'alpha',
    actions: { 'merge-base': ['clean', 'conflict'], archive: ['nothing'], deliver: ['moved', 'none'] },
    gates: gateShapes,
    providers: ['alpha', 'beta'],
  }
  return { root, home, options }
}

async function failureOfLoading(reference: string, options: LoadOptions): Promise<FailureError> {
  const error: unknown = await loadWorkflow(reference, options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof FailureError) return error
  throw new Error(`expected a failure, got ${String(error)}`)
}

function summary({ code, message, next }: FailureError): { code: string; message: string; next: string } {
  return { code, message, next }
}

it('A step may be routed by every way in which its agent can give no answer', async () => {
  const routes = agentErrors.map((error) => `${error}: ask`).join(', ')
  const { root, options } = await placeWith({
    'project/w.yaml': `name: w\nroles: { a: { prompt: a.md } }\nsteps: [{ id: a, agent: a, on: { ${routes} } }]\n`,
    'project/a.md': 'Do it.\n',
  })
  expect((await loadWorkflow(join(root, 'w.yaml'), options)).workflow.steps).toHaveLength(1)
})

describe('A workflow is found', () => {
  it('built in, with its prompts and schemas, and without a problem (R001-134, R001-135)', async () => {
    const { options } = await placeWith({})
    const { workflow, source, prompts, schemas } = await loadWorkflow('pipeline', options)
    expect(source.layer).toBe('built-in')
    expect(workflow.steps.map(({ id }) => id)).toEqual([
      ...['investigate', 'research', 'analyst_review', 'plan', 'plan_review', 'code', 'code_review'],
      ...['integrate', 'resolve', 'merge_review', 'archive', 'deliver'],
    ])
    expect(Object.keys(prompts)).toHaveLength(9)
    expect(Object.keys(schemas)).toHaveLength(7)
  })

  it('in the project before the user before the package (C-80)', async () => {
    const named = (who: string): string =>
      `name: pipeline\ndescription: ${who}\nsteps:\n  - { id: a, do: deliver }\n`
    const files = {
      'project/.baton/workflows/pipeline.yml': named('project'),
      'home/.config/baton/workflows/pipeline.yaml': named('user'),
      'home/.config/baton/workflows/other.json':
        '{ "name": "other", "steps": [{ "id": "a", "do": "deliver" }] }',
    }
    const { options } = await placeWith(files)
    expect((await loadWorkflow('pipeline', options)).workflow.description).toBe('project')
    const user = { ...options, layers: options.layers.slice(1) }
    expect((await loadWorkflow('pipeline', user)).workflow.description).toBe('user')
  })

  it('as JSON as well as YAML (R000-03, C-80)', async () => {
    const text = '{ "name": "other", "steps": [{ "id": "a", "do": "deliver" }] }'
    const { options } = await placeWith({ 'home/.config/baton/workflows/other.json': text })
    expect((await loadWorkflow('other', options)).source).toMatchObject({ layer: 'user', text })
  })

  it('by a name that one file of a layer has, or else both are named', async () => {
    const { root, options } = await placeWith({
      'project/.baton/workflows/small.yml': small,
      'project/.baton/workflows/small.yaml': small,
      'project/.baton/prompts/writer.md': 'Write.\n',
    })
    const [one, other] = ['yaml', 'yml'].map((ending) => join(root, `.baton/workflows/small.${ending}`))
    await expect(loadWorkflow('small', options)).rejects.toMatchObject({
      code: 'workflow.invalid',
      message: `Two files are the workflow 'small': ${one} and ${other}`,
      next: `Keep one of them: mv ${other} ${other}.old`,
    })
  })

  it('by a path, with its prompts beside it', async () => {
    const { root, options } = await placeWith({
      'project/flows/two-eyes.yaml': twoEyes,
      'project/flows/writer.md': 'Write on {branch}.',
      'project/flows/security.md': 'Look for holes.',
      'project/flows/style.md': 'Look at names in {write.commit}.',
    })
    const { workflow, source, prompts } = await loadWorkflow(join(root, 'flows/two-eyes.yaml'), options)
    expect(source).toEqual({ layer: 'file', path: join(root, 'flows/two-eyes.yaml'), text: twoEyes })
    expect(prompts['writer.md']).toEqual({ path: join(root, 'flows/writer.md'), text: 'Write on {branch}.' })
    expect(workflow.steps.map(({ id, type }) => `${type} ${id}`)).toEqual([
      'agent write',
      'agent security',
      'agent style',
      'ask person',
      'do deliver',
    ])
  })

  it('or else the names that exist are listed', async () => {
    const { options } = await placeWith({ 'project/.baton/workflows/mine.yaml': small })
    expect(summary(await failureOfLoading('pipelin', options))).toEqual({
      code: 'workflow.missing',
      message: "There is no workflow 'pipelin'.",
      next: expect.stringMatching(/^Did you mean 'pipeline'\? Of workflows there are: .*mine, .*pipeline/),
    })
  })
})

describe('A prompt or a schema is found', () => {
  const files = {
    'project/.baton/workflows/small.yaml': small,
    'home/.config/baton/schemas/answer.json': '{ "type": "object" }',
    'home/.config/baton/prompts/small/writer.md': 'user, own folder',
    'home/.config/baton/prompts/writer.md': 'user, common folder',
  }

  it("in the workflow's own folder before the common one", async () => {
    const { options } = await placeWith(files)
    const { prompts, schemas } = await loadWorkflow('small', options)
    expect(prompts['writer.md']?.text).toBe('user, own folder')
    expect(schemas['answer.json']?.value).toEqual({ type: 'object' })
  })

  it('in the project before the user (C-81, R001-135)', async () => {
    const { options } = await placeWith({ ...files, 'project/.baton/prompts/writer.md': 'project' })
    expect((await loadWorkflow('small', options)).prompts['writer.md']?.text).toBe('project')
  })

  it('or else the failure says who needs it, where it looked, and what to create', async () => {
    const { root, home, options } = await placeWith({ 'project/.baton/workflows/small.yaml': small })
    const layers = options.layers.slice(0, 2)
    const at = join(root, '.baton/workflows/small.yaml')
    const looked = [
      join(root, '.baton/prompts/small/writer.md'),
      join(root, '.baton/prompts/writer.md'),
      join(home, '.config/baton/prompts/small/writer.md'),
      join(home, '.config/baton/prompts/writer.md'),
      join(root, '.baton/workflows/writer.md'),
    ]
    expect(summary(await failureOfLoading('small', { ...options, layers }))).toEqual({
      code: 'prompt.missing',
      message: `${at}:3:21: prompt 'writer.md' of role 'writer' is missing; looked for ${looked.join(', ')}`,
      next: `create ${looked[0]}`,
    })
  })

  it('or else a missing schema is told in the same way', async () => {
    const { root, options } = await placeWith({
      'project/.baton/workflows/small.yaml': small,
      'project/.baton/prompts/writer.md': 'Write.',
    })
    const failure = await failureOfLoading('small', options)
    expect(failure.code).toBe('schema.missing')
    expect(failure.next).toBe(`create ${join(root, '.baton/schemas/small/answer.json')}`)
  })

  it('but never outside the folders of its layer', async () => {
    const { options } = await placeWith({
      'project/.baton/workflows/small.yaml': small.replace('writer.md', '../../secret.md'),
    })
    expect(await failureOfLoading('small', options)).toMatchObject({
      code: 'workflow.invalid',
      message: expect.stringContaining(
        ":3:21: prompt '../../secret.md' of role 'writer' leads out of the prompts folder",
      ),
    })
  })
})

describe('A file that a workflow refers to is refused', () => {
  const prompt = {
    'project/.baton/workflows/small.yaml': small,
    'project/.baton/prompts/writer.md': 'Write.',
  }

  it.each([
    ['a schema that is no JSON', '{ "type": ', ':1:1: not valid YAML: the { is not closed'],
    ['a schema that is no map', '[]', ':1:1: a JSON Schema must be a map'],
    [
      'a schema with a wrong type',
      '{\n  "type": "objekt"\n}',
      ':2:11: not a JSON Schema: must be equal to one of the allowed values',
    ],
    [
      'a schema with an unknown keyword',
      '{\n  "requierd": ["a"]\n}',
      ':2:4: not a JSON Schema: unknown keyword: "requierd"',
    ],
  ])('when it is %s', async (_, text, message) => {
    const { root, options } = await placeWith({ ...prompt, 'project/.baton/schemas/answer.json': text })
    const failure = await failureOfLoading('small', options)
    expect(failure.code).toBe('schema.invalid')
    expect(failure.message).toContain(`${join(root, '.baton/schemas/answer.json')}${message}`)
  })

  it.each(['prompts/writer.md', 'workflows/small.yaml', 'schemas/answer.json'])(
    'when %s is not UTF-8, at the first such character',
    async (name) => {
      const { root, options } = await placeWith({ ...prompt, 'project/.baton/schemas/answer.json': '{}' })
      const file = join(root, '.baton', name)
      await writeFile(file, Buffer.concat([Buffer.from('one: 1\ntwo: '), Buffer.from([0xe9, 0x0a])]))
      const failure = await failureOfLoading('small', options)
      expect(failure.code).toBe('workflow.invalid')
      expect(failure.message).toBe(`${file}:2:6: not UTF-8`)
      expect(failure.next).toContain('iconv -f LATIN1 -t UTF-8')
    },
  )

  it('when it is a prompt with a variable that does not exist, at its place in the prompt', async () => {
    const { root, options } = await placeWith({
      ...prompt,
      'project/.baton/schemas/answer.json': '{}',
      'project/.baton/prompts/writer.md': 'Write.\nUse {brnach}, not {{brnach}} and not { this }.\n',
    })
    expect(summary(await failureOfLoading('small', options))).toEqual({
      code: 'workflow.invalid',
      message: `${join(root, '.baton/prompts/writer.md')}:2:5: unknown variable '{brnach}'`,
      next: "write '{branch}', or '{{brnach}}' for the braces themselves",
    })
  })
})

describe('A failure', () => {
  it('names the first problem, counts the others, and carries them all', async () => {
    const text = small.replace('writer }', 'writr, gates: [tests_pass, scor], next: lats }')
    const { root, options } = await placeWith({ 'project/.baton/workflows/small.yaml': text })
    const failure = await failureOfLoading('small', options)
    const path = join(root, '.baton/workflows/small.yaml')
    expect(summary(failure)).toEqual({
      code: 'workflow.invalid',
      message: `${path}:5:25: step 'write' names role 'writr', which does not exist (and 2 more problems)`,
      next: "write 'writer'",
    })
    expect(problemsOf(failure).map(({ line, column }) => [line, column])).toEqual([
      [5, 25],
      [5, 52],
      [5, 65],
    ])
  })
})

describe('Who plays a role', () => {
  const files = {
    'project/.baton/prompts/a.md': 'Do.',
    'project/.baton/workflows/cast.yaml':
      'name: cast\ndefaults: { prompt: a.md }\nroles: { one: { provider: beta, model: big }, two: { model: small } }\n' +
      'steps:\n  - { id: a, agent: one }\n  - { id: b, agent: two }\n',
  }
  const castOf = async (options: LoadOptions): Promise<string[]> => {
    const { workflow } = await loadWorkflow('cast', options)
    return workflow.steps.flatMap((step) =>
      step.type === 'agent' ? [`${step.id}: ${step.role.provider} ${step.role.model ?? '-'}`] : [],
    )
  }

  it('is the provider of the file, else the default', async () => {
    expect(await castOf((await placeWith(files)).options)).toEqual(['a: beta big', 'b: alpha small'])
  })

  it('is whom the user puts in, and then the model of another provider does not go along', async () => {
    const { options } = await placeWith(files)
    expect(await castOf({ ...options, providerOverride: 'beta' })).toEqual(['a: beta big', 'b: beta -'])
  })

  it('need not exist in the file when the user puts in another', async () => {
    const { options } = await placeWith(files)
    expect(await castOf({ ...options, providers: ['alpha'], providerOverride: 'alpha' })).toEqual([
      'a: alpha -',
      'b: alpha small',
    ])
    expect((await failureOfLoading('cast', { ...options, providers: ['alpha'] })).next).toBe("write 'alpha'")
  })
})
