import { describe, expect, it } from 'vitest'
import { workflowFileSchema } from '../model/workflow-file.ts'
import type { Workflow } from '../model/workflow.ts'
import { normalizeWorkflow } from './normalize-workflow.ts'
import { resolveInputs, resolveMode } from './run-inputs.ts'

const workflow = workflowOf({
  inputs: {
    task: { required: true },
    mode: { options: ['bugfix', 'direct'], default: 'direct' },
    size: { options: ['small', 'large'], default: 'small' },
    change_id: { pattern: '^[a-z0-9-]+$', description: 'lower case' },
    tasks: { list: true },
    laps: { type: 'number', default: 3 },
    time: { type: 'duration', default: '2h' },
  },
  modes: { bugfix: 'look', direct: { from: 'write', to: 'write' } },
})

function workflowOf(parts: object): Workflow {
  const steps = [
    { id: 'look', do: 'archive' },
    { id: 'write', do: 'archive' },
  ]
  return normalizeWorkflow(workflowFileSchema.parse({ name: 'pipeline', steps, ...parts }), {
    defaultProvider: 'alpha',
  })
}

describe('The inputs of a run', () => {
  it('all have a value: given, by default, or empty', () => {
    expect(resolveInputs(workflow, { task: 'Add a toggle' })).toEqual({
      ...{
        task: 'Add a toggle',
        mode: 'direct',
        size: 'small',
        change_id: '',
        tasks: [],
        laps: 3,
        time: '2h',
      },
    })
  })

  it('are lists by commas or by repetition', () => {
    expect(resolveInputs(workflow, { task: 't', tasks: '1.1, 1.2' })['tasks']).toEqual(['1.1', '1.2'])
    expect(resolveInputs(workflow, { task: 't', tasks: ['1.1', '1.2,1.3'] })['tasks']).toEqual([
      '1.1',
      '1.2',
      '1.3',
    ])
  })

  it('are numbers where a number is asked for', () => {
    expect(resolveInputs(workflow, { task: 't', laps: '5' })['laps']).toBe(5)
  })

  it.each([
    [
      'a required input that is missing (R001-137)',
      {},
      'input.missing',
      "Workflow 'pipeline' needs the input 'task'.",
      'Say what to do: baton run "<task>"',
    ],
    [
      'a required input that is blank',
      { task: '  ' },
      'input.missing',
      "Workflow 'pipeline' needs the input 'task'.",
      'Say what to do: baton run "<task>"',
    ],
    [
      'an input that does not exist',
      { task: 't', sise: 'x' },
      'input.unknown',
      "Workflow 'pipeline' has no input 'sise'.",
      "Write 'size'.",
    ],
    [
      'a value that is no option',
      { task: 't', size: 'larg' },
      'input.invalid',
      "Input 'size' cannot be 'larg'.",
      "Write 'large'; see: baton workflow show pipeline",
    ],
    [
      'a value that does not match',
      { task: 't', change_id: 'A B' },
      'input.invalid',
      "Input 'change_id' cannot be 'A B'.",
      'Write text that matches ^[a-z0-9-]+$ (lower case); see: baton workflow show pipeline',
    ],
    [
      'text for a number',
      { task: 't', laps: 'many' },
      'input.invalid',
      "Input 'laps' cannot be 'many'.",
      'Write a number; see: baton workflow show pipeline',
    ],
    [
      'text for a duration',
      { task: 't', time: 'soon' },
      'input.invalid',
      "Input 'time' cannot be 'soon'.",
      'Write a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h; see: baton workflow show pipeline',
    ],
    [
      'two values for one',
      { task: 't', size: ['small', 'large'] },
      'input.invalid',
      "Input 'size' takes one value.",
      'Write --input size=<value> once; see: baton workflow show pipeline',
    ],
    [
      'a mode that does not exist',
      { task: 't', mode: 'x' },
      'mode.unknown',
      "Unknown mode 'x' for workflow 'pipeline'.",
      'Modes: bugfix, direct. For example: baton run --workflow pipeline --mode bugfix "<task>"',
    ],
  ])('are refused for %s', (_, given, code, message, next) => {
    expect(() => resolveInputs(workflow, given)).toThrow(
      expect.objectContaining({ code, message, next, exitCode: 2 }),
    )
  })
})

describe('The mode of a run', () => {
  it('is the one that was asked for', () => {
    expect(resolveMode(workflow, 'bugfix')).toEqual({ name: 'bugfix', from: 'look' })
  })

  it('is the default of the input mode, else the first mode, else there is none', () => {
    expect(resolveMode(workflow)).toEqual({ name: 'direct', from: 'write', to: 'write' })
    expect(resolveMode(workflowOf({ modes: { quick: 'write' } }))).toEqual({ name: 'quick', from: 'write' })
    expect(resolveMode(workflowOf({}))).toEqual({ from: 'look' })
  })

  it('is refused when it does not exist, with the modes that do (R001-137)', () => {
    expect(() => resolveMode(workflow, 'toString')).toThrow(
      expect.objectContaining({
        code: 'mode.unknown',
        message: "Unknown mode 'toString' for workflow 'pipeline'.",
      }),
    )
    expect(() => resolveMode(workflowOf({}), 'bugfix')).toThrow(
      expect.objectContaining({ next: 'This workflow has no modes: baton run --workflow pipeline "<task>"' }),
    )
  })
})
