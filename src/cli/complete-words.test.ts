import { describe, expect, test } from 'vitest'
import { wantedAt } from './complete-words.ts'
import type { CommandTree } from './complete-words.ts'

const leaf = (name: string, rest: Partial<CommandTree> = {}): CommandTree => ({
  ...{ name, description: `does ${name}`, commands: [], options: [], arguments: [] },
  ...rest,
})

const tree = leaf('baton', {
  options: [{ words: ['--json'], description: 'as JSON' }],
  commands: [
    leaf('run', {
      arguments: [{ name: 'task', variadic: true }],
      options: [
        { words: ['--workflow', '-w'], description: 'which', value: '--workflow' },
        { words: ['--script'], description: 'a file', value: '--script' },
        { words: ['--yes'], description: 'a switch' },
      ],
    }),
    leaf('show', { arguments: [{ name: 'run', variadic: false }] }),
    leaf('clean', { arguments: [{ name: 'run', variadic: true }] }),
    leaf('review', {
      arguments: [{ name: 'change-id', variadic: false }],
      named: { workflow: 'change', identifier: 'change_id' },
    }),
    leaf('workflow', {
      commands: [leaf('graph', { arguments: [{ name: 'name', variadic: false }] })],
    }),
  ],
})

const wordsAt = (...words: string[]): string[] => {
  const wanted = wantedAt(tree, words)
  return wanted.type === 'words' ? wanted.candidates.map(([word]) => word) : []
}

describe('what could stand at the cursor', () => {
  test('is a command where none was typed yet', () => {
    expect(wordsAt('')).toEqual(['run', 'show', 'clean', 'review', 'workflow'])
    expect(wordsAt('--json', 'sh')).toEqual(['run', 'show', 'clean', 'review', 'workflow'])
  })

  test('is a command of a group', () => {
    expect(wordsAt('workflow', '')).toEqual(['graph'])
  })

  test('is an option after a dash, those of the program included', () => {
    expect(wordsAt('run', '--')).toEqual(['--workflow', '-w', '--script', '--yes', '--json'])
    expect(wordsAt('-')).toEqual(['--json'])
  })

  test.each([
    ['a run where the command takes one', ['show', ''], 'run'],
    ['a further run where it takes several', ['clean', '1', '2', ''], 'run'],
    ['a workflow after the option for it', ['run', '-w', ''], 'workflow'],
    ['a workflow for the commands about workflows', ['workflow', 'graph', ''], 'workflow'],
    ['a file after an option that takes one', ['run', '--script', 'x'], 'file'],
    ['a text of the person, after a switch too', ['run', '--yes', ''], 'any'],
  ])('is %s', (_title, words, kind) => {
    expect(wantedAt(tree, words)).toEqual({ type: 'value', kind })
  })

  test('is the name of an active run, for a verb that goes on with one', () => {
    const runs = { workflow: 'change', identifier: 'change_id' }
    expect(wantedAt(tree, ['review', 'ro'])).toEqual({ type: 'named', runs })
    expect(wordsAt('review', '--')).toEqual(['--json'])
  })

  test('is an option where all arguments are there', () => {
    expect(wordsAt('show', '1', '')).toEqual(['--json'])
  })
})
