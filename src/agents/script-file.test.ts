import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../model/failure.ts'
import { parseScript, pickCall, type Call } from './script-file.ts'

function problemOf(source: string): string {
  try {
    parseScript(source, 'demo.yaml')
  } catch (error) {
    if (error instanceof FailureError && error.code === 'script.invalid') return error.message
    throw error
  }
  return 'none'
}

function picked(
  source: string,
  at: { step?: string; role?: string; visit?: number; call?: number; item?: string },
) {
  const { step = 'build', role = 'developer', visit = 1, call = 1, item = '' } = at
  return pickCall(parseScript(source, 'demo.yaml'), {
    step,
    role,
    visit,
    call,
    values: { item: { id: item } },
  })
}

function callOf(entry: string): Call | undefined {
  return picked(`roles: { developer: [${entry}] }`, {})
}

describe('picking a call', () => {
  const script = `
roles:
  developer:
    - { prints: first visit }
    - calls:
        - { prints: second visit }
        - { prints: second visit repaired }
    - { prints: third visit }
steps:
  fix:
    - { prints: the step itself }
`

  it('gives each visit of a step its entry', () => {
    expect(picked(script, { visit: 2 })).toEqual({ prints: 'second visit' })
  })

  it('repeats the last entry for all further visits', () => {
    expect(picked(script, { visit: 9 })).toEqual({ prints: 'third visit' })
  })

  it('gives each call within a visit its own, and repeats the last', () => {
    const calls = [1, 2, 3].map((call) => picked(script, { visit: 2, call })?.prints)
    expect(calls).toEqual(['second visit', 'second visit repaired', 'second visit repaired'])
  })

  it('repeats a plain entry for all calls of its visit', () => {
    expect(picked(script, { visit: 1, call: 4 })).toEqual({ prints: 'first visit' })
  })

  it('prefers the step to the role', () => {
    expect(picked(script, { step: 'fix' })).toEqual({ prints: 'the step itself' })
  })

  it('gives nothing for a role that the script does not name, whatever the name', () => {
    expect(['writer', 'constructor', '__proto__'].map((role) => picked(script, { role }))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('counts visits among the entries whose `when` holds', () => {
    const items = `
roles:
  developer:
    - { when: { item.id: T1 }, prints: T1 }
    - { when: { item.id: T2 }, prints: T2 at first }
    - { when: { item.id: T2 }, prints: T2 again }
`
    const prints = (item: string, visit: number) => picked(items, { item, visit })?.prints
    expect([prints('T1', 2), prints('T2', 1), prints('T2', 2), prints('T3', 1)]).toEqual([
      'T1',
      'T2 at first',
      'T2 again',
      undefined,
    ])
  })

  it('lays the defaults under every call', () => {
    const delayed =
      'defaults: { delay: 2s }\nroles: { developer: [{ prints: a }, { prints: b, delay: 5ms }] }'
    expect([picked(delayed, {}), picked(delayed, { visit: 2 })]).toEqual([
      { delay: 2000, prints: 'a' },
      { delay: 5, prints: 'b' },
    ])
  })
})

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
    ['no YAML', 'roles:\n  developer: [\n', 'demo.yaml:3: Flow sequence'],
    ['a key twice', 'name: a\nname: b\n', 'demo.yaml:2: Map keys must be unique'],
    ['an alias that leads nowhere', 'roles: { developer: [*x] }', 'demo.yaml: Unresolved alias'],
    ['an empty file', '', 'demo.yaml:1: '],
    ['neither roles nor steps', 'name: a', "demo.yaml:1: a script has 'roles' or 'steps'"],
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
