import { expect, test } from 'vitest'
import { captureInTurn } from './capture-in-turn.ts'
import type { PipedCommand } from './capture.ts'

const shell = '/bin/sh'

function saying(script: string, more: Partial<PipedCommand> = {}): PipedCommand {
  return { argv: [shell, '-c', script], cwd: '/', env: {}, ...more }
}

/** With a limit of its own a command is started the long way, without the small shell. */
test.each([{}, { timeoutMs: 60_000 }])(
  'the second is run if the first succeeds, each with its own words',
  async (more) => {
    const first = saying('echo not read; echo warned >&2', more)
    const [before, after] = await captureInTurn(
      first,
      saying('pwd; echo complained >&2; exit 3', { ...more, cwd: '/tmp' }),
    )
    expect([before.code, before.stderr]).toEqual([0, 'warned\n'])
    expect([after?.code, after?.stdout.toString(), after?.stderr]).toEqual([3, '/tmp\n', 'complained\n'])
  },
)

test.each([{}, { timeoutMs: 60_000 }])('it is not run if the first fails', async (more) => {
  const [before, after] = await captureInTurn(
    saying('echo why >&2; exit 2', more),
    saying('echo never', more),
  )
  expect([before.code, before.stderr, after]).toEqual([2, 'why\n', undefined])
})

test('a command that is missing is said to be, and nothing else is run', async () => {
  const missing: PipedCommand = { argv: ['no-such-program'], env: { PATH: '/nonexistent' } }
  const [before, after] = await captureInTurn(missing, saying('echo never'))
  expect([before.code, after]).toEqual([127, undefined])
})
