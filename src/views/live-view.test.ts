import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../model/agent.ts'
import type { JournalLine } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { activityText, foldLive, liveLines, nothingLive } from './live-view.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

function line(second: number, type: JournalLine['type'], data: JsonObject, role = 'ENGINE'): JournalLine {
  return { ts: at(second), role, type, data }
}

const story = [
  line(0, 'run.started', { run: '7' }),
  line(1, 'step.started', { step: 'plan' }, 'ARCHITECT'),
  line(2, 'step.finished', { step: 'plan', outcome: 'ok' }),
  line(2, 'step.started', { step: 'code' }, 'DEVELOPER'),
  line(3, 'step.finished', { step: 'code', outcome: 'revise' }),
  line(4, 'step.started', { step: 'code' }, 'DEVELOPER'),
  line(5, 'agent.started', { step: 'code', call: 2, provider: 'tool', model: 'large' }),
]

const screen = { columns: 100, now: Date.parse(at(65)), frame: 1, color: false }
const working = story.reduce(foldLive, nothingLive)

describe('the moving lines', () => {
  test('show the way with its loops, who works, since when, and what they do', () => {
    expect(liveLines({ ...working, action: 'Bash npm test' }, screen)).toEqual([
      'plan > [code x2]',
      '/ DEVELOPER, tool large, round 2, call 2, 1m1s of 1m5s, Bash npm test',
    ])
  })

  test('R002-18, C-31: hold at most 60 characters of what the agent does, and never more than the terminal is wide', () => {
    const long = { ...working, action: 'x'.repeat(500) }
    expect(liveLines(long, { ...screen, columns: 500 })[1]).toMatch(/, x{57}\.\.\.$/)
    for (const columns of [10, 20, 40, 80])
      for (const text of liveLines(long, { ...screen, columns })) expect(text.length).toBeLessThan(columns)
  })

  test('say what the agents have used, of what they may use', () => {
    const used = [
      line(6, 'agent.finished', { step: 'code', call: 2, usage: { input: 1200, output: 34, cost: 0.5 } }),
      line(7, 'agent.finished', { step: 'code', call: 3 }),
    ].reduce(foldLive, working)
    expect(liveLines(used, screen)[1]).toContain('1m5s, 1,234 tokens, $0.50')
    const limits = { cost: 2, tokens: 50_000, timeMs: 7_200_000 }
    expect(liveLines({ ...used, limits }, { ...screen, columns: 200 })[1]).toContain(
      '1m5s, limit 2h, 1,234 of 50,000 tokens, $0.50 of $2.00',
    )
    const again = foldLive({ ...used, limits }, line(8, 'run.started', { run: '8' }))
    expect(again).toMatchObject({ limits, spent: { tokens: 0, cost: 0 } })
  })

  test('go away when the run waits, stops or ends', () => {
    for (const type of ['run.waiting', 'run.stopped', 'run.finished'] as const)
      expect(liveLines(foldLive(working, line(9, type, {})), screen)).toEqual([])
  })

  test('are not there before there is a run', () => {
    expect(liveLines(nothingLive, screen)).toEqual([])
  })
})

describe('what an agent does, in a line', () => {
  test.each<[AgentEvent, string | undefined]>([
    [{ type: 'text', text: 'First\nlast words\n\n' }, 'last words'],
    [
      { type: 'tool_call', id: '1', name: 'Bash', input: { command: 'npm test', timeout: 5 } },
      'Bash npm test',
    ],
    [{ type: 'tool_call', id: '1', name: 'Odd', input: { a: 1 } }, 'Odd {"a":1}'],
    [{ type: 'text', text: 'red \u001B[31m\u0007bell' }, 'red  [31m bell'],
    [{ type: 'text', text: 'Here it is:\n```json\n{\n  "status": "done"\n}\n```' }, '"status": "done"'],
    [{ type: 'usage', input: 5 }, undefined],
  ])('%j', (event, text) => expect(activityText(event)).toBe(text))
})
