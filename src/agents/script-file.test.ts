import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../model/failure.ts'
import { parseScript } from './script-file.ts'
import type { Call } from './script-schema.ts'

function problemOf(source: string): string {
  try {
    parseScript(source, 'demo.yaml')
  } catch (error) {
    if (error instanceof FailureError && error.code === 'script.invalid') return error.message
    throw error
  }
  return 'none'
}

function callOf(entry: string): Call | undefined {
  return parseScript(`roles: { developer: [${entry}] }`, 'demo.yaml').roles?.['developer']?.[0]?.calls[0]
}

describe('short forms', () => {
  it('takes a command for one that may fail', () => {
    expect(callOf('{ runs: [[ls, -l], { argv: [make], must: true }] }')).toEqual({
      runs: [
        { argv: ['ls', '-l'], must: false },
        { argv: ['make'], must: true },
      ],
    })
  })

  it('takes a message for a commit of everything', () => {
    expect(callOf('{ commits: "feat: x" }')).toEqual({ commits: [{ message: 'feat: x', add: 'all' }] })
  })

  it('takes one background command for a list of one', () => {
    expect(callOf('{ starts: [sleep, "9"] }')).toEqual({ starts: [{ argv: ['sleep', '9'], session: false }] })
    expect(callOf('{ starts: [[sleep, "9"], { argv: [x], session: true }] }')).toEqual({
      starts: [
        { argv: ['sleep', '9'], session: false },
        { argv: ['x'], session: true },
      ],
    })
  })

  it.each([
    ['500B', 500],
    ['1.5KB', 1500],
    ['20MB', 20_000_000],
    ['1GB', 1_000_000_000],
  ])('reads the size %s as %d bytes', (size, bytes) => {
    expect(callOf(`{ flood: ${size} }`)).toEqual({ flood: bytes })
  })
})

describe('a script that is wrong', () => {
  it.each([
    ['no YAML', 'roles:\n  developer: [\n', 'demo.yaml:2: the [ is not closed'],
    ['a key twice', 'name: a\nname: b\n', 'demo.yaml:2: Map keys must be unique'],
    ['an alias that leads nowhere', 'roles: { developer: [*x] }', 'demo.yaml: Unresolved alias'],
    ['an empty file', '# later\n', "demo.yaml:1: the script is empty: it needs 'roles' or 'steps'"],
    ['neither roles nor steps', 'name: a', 'demo.yaml:1: a script has at least one role'],
    ['no role', 'roles: {}', "demo.yaml:1: a script has at least one role under 'roles', or one step"],
    ['a role without entries', 'roles:\n  developer: []', 'demo.yaml:2: roles.developer: '],
    [
      'an unknown key of a call',
      'roles:\n  developer:\n    - prints: a\n      writess: {}\n',
      "demo.yaml:4: roles.developer.0: unknown key 'writess', allowed are when, calls, expects,",
    ],
    [
      'a mistake within a call of several',
      'roles:\n  developer:\n    - calls:\n        - prints: a\n        - as: bare\n',
      "demo.yaml:5: roles.developer.0.calls.1.as: needs an 'answer'",
    ],
    [
      'a mistake behind an alias',
      'name: &n a\nroles:\n  developer:\n    - &first { delay: soon }\n  tester:\n    - *first\n',
      'demo.yaml:4: roles.developer.0.delay: a duration such as 250ms, 5s or 2m (and 1 more)',
    ],
    [
      'keys beside calls',
      'roles:\n  developer:\n    - calls: [{}]\n      prints: a\n',
      "demo.yaml:3: roles.developer.0: beside 'calls' an entry has only 'when'",
    ],
    [
      'two ways to end',
      'roles:\n  developer:\n    - ends: { exit: 1, crash: true }\n',
      'demo.yaml:3: roles.developer.0.ends: one of { exit: 0 to 255 }',
    ],
    [
      'half of nothing',
      'roles:\n  developer:\n    - ends: { partial: true }\n',
      "demo.yaml:3: roles.developer.0.ends: 'partial' needs an 'answer'",
    ],
    [
      'a shell line for a command',
      'roles:\n  developer:\n    - runs: [npm test]\n',
      'demo.yaml:3: roles.developer.0.runs.0: a command is a list of texts',
    ],
    [
      'a size without a unit',
      'roles:\n  developer:\n    - flood: 5\n',
      'demo.yaml:3: roles.developer.0.flood: a size such as',
    ],
    [
      'an answer that is not JSON',
      'roles:\n  developer:\n    - answer: { score: .nan }\n',
      'demo.yaml:3: roles.developer.0.answer: plain JSON',
    ],
  ])('is refused with file and line: %s', (_what, source, problem) => {
    expect(problemOf(source)).toContain(problem)
  })
})

it('accepts the whole script that the reference shows', async () => {
  const reference = new URL('../../docs/reference/scripted-provider.md', import.meta.url)
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(await readFile(reference, 'utf8')) ?? []
  expect(problemOf(example)).toBe('none')
})

it.each([
  ['roles:\n  a: { answer: {} }\n', 'demo.yaml:2: roles.a: must be a list, not a map'],
  ['roles:\n  a:\n    - writes: b.txt\n', 'demo.yaml:3: roles.a.0.writes: must be a map, not text'],
  ['roles:\n  a:\n', 'demo.yaml:2: roles.a: must be a list, not nothing'],
])('what is of another kind is told in words of YAML: %j', (source, problem) => {
  expect(problemOf(source)).toBe(problem)
})
