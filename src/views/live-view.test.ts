import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../model/agent.ts'
import type { JournalLine } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { activityText } from './live-activity.ts'
import { foldLive, liveLines, nothingLive } from './live-view.ts'

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
  line(5, 'agent.started', { step: 'code', call: 2, provider: 'tool', model: 'large' }, 'DEVELOPER'),
]

const screen = { columns: 100, now: Date.parse(at(65)), frame: 1, color: false }
const working = story.reduce(foldLive, nothingLive)

describe('the moving lines', () => {
  test('show the way with its loops, who works, since when, and what they do', () => {
    expect(liveLines({ ...working, action: 'Bash npm test' }, screen)).toEqual([
      'plan > [code x2]',
      '/ DEVELOPER, tool large, round 2, call 2, 1m1s (run 1m5s), Bash npm test',
    ])
  })

  test('R002-18, C-31: hold at most 60 characters of what the agent does, and never more than the terminal is wide', () => {
    const long = { ...working, action: 'x'.repeat(500) }
    expect(liveLines(long, { ...screen, columns: 500 })[1]).toMatch(/, x{57}\.\.\.$/)
    for (const columns of [10, 20, 40, 80])
      for (const text of liveLines(long, { ...screen, columns })) expect(text.length).toBeLessThan(columns)
  })

  test('say what the agents have used, or what is left where there is a limit', () => {
    const used = [
      line(6, 'agent.finished', { step: 'code', call: 2, usage: { input: 1200, output: 34, cost: 0.5 } }),
      line(7, 'agent.finished', { step: 'code', call: 3 }),
    ].reduce(foldLive, working)
    expect(liveLines(used, screen)[1]).toContain('1m5s), 1,234 tokens, $0.50')
    const limits = { cost: 2, tokens: 50_000, timeMs: 7_200_000 }
    expect(liveLines({ ...used, limits }, { ...screen, columns: 200 })[1]).toContain(
      '1m5s), 1h58m left, 48,766 tokens left, $1.50 left',
    )
    const again = foldLive({ ...used, limits }, line(8, 'run.started', { run: '8' }))
    expect(again).toMatchObject({ limits, spent: { tokens: 0, cost: 0 } })
  })

  test('show the items of a plan and the fragments that were called, each inside the one before', () => {
    const of = (key: string, data: JsonObject = {}): JsonObject => ({ key, ...data })
    const inner = 'execute#1/S1/code#1/subplan'
    const items = (...ids: string[]) => ids.map((id) => ({ id }))
    const goal = [
      line(0, 'run.started', { run: '7' }),
      line(1, 'step.started', of('plan#1/started', { step: 'plan' }), 'PLANNER'),
      line(2, 'step.finished', of('plan#1/finished', { step: 'plan', outcome: 'ok' })),
      line(3, 'step.started', of('execute#1/started', { step: 'execute' }), 'ENGINE'),
      line(3, 'list.started', of('execute#1/list', { step: 'execute', items: items('S1', 'S2') })),
      line(3, 'item.started', of('execute#1/S1/started', { item: 'S1' })),
      line(3, 'attempt.started', of('execute#1/S1/attempt/2', { item: 'S1', attempt: 2 })),
      line(4, 'step.started', of('execute#1/S1/code#1/started', { step: 'code' }), 'CODER'),
      line(5, 'step.finished', of('execute#1/S1/code#1/finished', { step: 'code', outcome: 'blocked' })),
      line(5, 'step.started', of(`${inner}/replan#1/started`, { step: 'replan' }), 'PLANNER'),
      line(6, 'step.finished', of(`${inner}/replan#1/finished`, { step: 'replan', outcome: 'ok' })),
      line(6, 'step.started', of(`${inner}/sub#1/started`, { step: 'sub' }), 'ENGINE'),
      line(6, 'list.started', of(`${inner}/sub#1/list`, { step: 'sub', items: items('S1a') })),
      line(6, 'item.started', of(`${inner}/sub#1/S1a/started`, { item: 'S1a' })),
      line(6, 'step.started', of(`${inner}/sub#1/S1a/code#1/started`, { step: 'code' }), 'CODER'),
      line(7, 'agent.started', { step: 'judge', call: 1, provider: 'tool' }, 'SUPERVISOR'),
    ].reduce(foldLive, nothingLive)
    expect(liveLines(goal, screen)).toEqual([
      'plan > [execute]',
      '  S1, 1 of 2, attempt 2: code (blocked)',
      '    subplan: replan > [sub]',
      '      S1a, 1 of 1: [code]',
      '/ SUPERVISOR, tool, 59s (run 1m5s)',
    ])
    for (const columns of [10, 20, 30])
      for (const text of liveLines(goal, { ...screen, columns })) expect(text.length).toBeLessThan(columns)
    const deeper = foldLive(
      goal,
      line(8, 'step.started', of(`${inner}/sub#1/S1a/code#1/subplan/replan#1/started`, { step: 'replan' })),
    )
    expect(liveLines(deeper, screen).slice(0, -1)).toEqual([
      'plan > [execute]',
      '  subplan: replan > [sub]',
      '    S1a, 1 of 1: [code]',
      '      subplan: [replan]',
    ])
    const back = foldLive(
      deeper,
      line(9, 'step.started', of('execute#1/S1/test#1/started', { step: 'test' })),
    )
    expect(liveLines(back, screen).slice(0, -1)).toEqual([
      'plan > [execute]',
      '  S1, 1 of 2, attempt 2: code (blocked) > [test]',
    ])
  })

  test('after a resume count neither as time nor against the limit what passed meanwhile', () => {
    const day = 86_400
    const resumed = [line(10, 'run.stopped', {}), line(day, 'run.resumed', {})].reduce(foldLive, working)
    const limits = { timeMs: 7_200_000 }
    const later = { ...screen, now: Date.parse(at(day + 50)) }
    expect(liveLines({ ...resumed, limits }, later)[1]).toContain('56s (run 1m), 1h59m left')
    const next = foldLive({ ...resumed, limits }, line(day + 50, 'stretch.started', { mode: 'review' }))
    expect(liveLines(next, later)[1]).toContain('56s (run 1m), 2h left')
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
