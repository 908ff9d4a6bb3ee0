import { expect, test } from 'vitest'
import { createLiveTerminal } from './live-terminal.ts'

test('what is printed scrolls by above the moving lines, which leave no trace when they stop', () => {
  let written = ''
  const live = createLiveTerminal({
    ...{ write: (text: string) => void (written += text), columns: () => 80, now: () => 0, color: false },
  })
  const ts = new Date(0).toISOString()
  live.event({ ts, role: 'ENGINE', type: 'run.started', data: { run: '1' } })
  live.event({ ts, role: 'CODER', type: 'step.started', data: { step: 'code' } })
  expect(written).toBe('[code]\n| CODER, 0s (run 0s)')
  written = ''
  live.print('hello')
  const erased = '\r\u001B[2K\u001B[1A\r\u001B[2K'
  expect(written).toBe(`${erased}hello\n[code]\n| CODER, 0s (run 0s)`)
  written = ''
  live.stop()
  expect(written).toBe(erased)
  written = ''
  live.print('bye')
  expect(written).toBe('bye\n')
})

test('a run that goes on shows the way that it has come before', () => {
  let written = ''
  const live = createLiveTerminal({
    ...{ write: (text: string) => void (written += text), columns: () => 80, now: () => 0, color: false },
  })
  const ts = new Date(0).toISOString()
  live.limits({ cost: 2 })
  live.past({ ts, role: 'ENGINE', type: 'run.started', data: { run: '1' } })
  live.past({ ts, role: 'PLANNER', type: 'step.started', data: { step: 'plan' } })
  live.past({ ts, role: 'ENGINE', type: 'step.finished', data: { step: 'plan', outcome: 'ok' } })
  expect(written).toBe('')
  live.event({ ts, role: 'CODER', type: 'step.started', data: { step: 'code' } })
  expect(written).toBe('plan > [code]\n| CODER, 0s (run 0s), $2.00 left')
  live.stop()
})
