import { describe, expect, it } from 'vitest'
import { dataOf, playScripted } from '../../test/support/scripted-run.ts'
import type { PlayedRun, ScriptedRun } from '../../test/support/scripted-run.ts'
import { agent, reviewer, to, workflowOf } from '../../test/support/workflow-values.ts'
import type { WantedStretch } from '../model/stretch.ts'

const wanted = (mode: string, more: Partial<WantedStretch> = {}): WantedStretch => ({
  ...{ mode, inputs: {}, anyway: false },
  ...more,
})

const input = { description: '', required: false, list: false, type: 'text' } as const

const modes = {
  all: { from: 'write' },
  draft: { from: 'write', to: 'write' },
  judge: { from: 'judge', to: 'judge' },
  build: { from: 'build', to: 'build' },
}

const workflow = workflowOf(
  [
    agent('write'),
    reviewer('judge', { on: { REJECT: to('write', { limit: 1, then: 'fail' }) } }),
    agent('build'),
    agent('last'),
  ],
  { modes, inputs: { name: { ...input, identifies: true } } },
)

/** One command after another on the same run. */
async function commands(
  script: ScriptedRun['script'],
  ...words: readonly WantedStretch[]
): Promise<PlayedRun[]> {
  const [first, ...others] = words
  const common = { workflow, ...(script ? { script } : {}), ...(first ? { mode: first.mode } : {}) }
  const played = [await playScripted(common)]
  for (const word of others) {
    const run = played.at(-1)?.run
    played.push(await playScripted({ ...common, ...(run ? { run } : {}), wanted: word }))
  }
  return played
}

describe('several commands on one run', () => {
  it('each do their stretch, and the run pauses between them (R002-22)', async () => {
    const played = await commands({ judge: ['APPROVE'] }, wanted('draft'), wanted('judge'), wanted('build'))
    expect(played.map(({ performed }) => performed)).toEqual([['write#1'], ['judge#1'], ['build#1']])
    expect(played.map(({ end }) => end?.pause?.next)).toEqual(['judge', 'build', 'last'])
    expect(played.map(({ end }) => end?.exitCode)).toEqual([0, 0, 0])
  })

  it('share what the steps have come to, and finish when the last step has ended', async () => {
    const [, second] = await commands({ judge: ['APPROVE'] }, wanted('draft'), wanted('all'))
    expect(second?.performed).toEqual(['judge#1', 'build#1', 'last#1'])
    expect(second?.end).toMatchObject({ outcome: 'ok', exitCode: 0 })
    expect(second?.end?.pause).toBeUndefined()
    expect(dataOf(second?.lines ?? [], 'run.finished')).toHaveLength(1)
  })

  it('hand on what a review found to the stretch that mends it, and say so with the exit code', async () => {
    const script = { judge: [{ outcome: 'revise', label: 'REJECT', reason: 'too long' } as const, 'APPROVE'] }
    const played = await commands(script, wanted('draft'), wanted('judge'), wanted('draft'), wanted('judge'))
    expect(played.map(({ end }) => [end?.exitCode, end?.pause?.next])).toEqual([
      ...[
        [0, 'judge'],
        [1, 'write'],
        [0, 'judge'],
        [0, 'build'],
      ],
    ])
    expect(played[2]?.requests[0]?.feedback).toMatchObject([{ from: 'judge', text: 'too long' }])
  })

  it('go the same way in a replay, with nothing performed twice', async () => {
    const played = await commands({ judge: ['APPROVE'] }, wanted('draft'), wanted('judge'))
    const run = played.at(-1)?.run
    const again = await playScripted({ workflow, mode: 'draft', ...(run ? { run } : {}) })
    expect(again.performed).toEqual([])
    expect(again.end?.pause).toEqual({ mode: 'judge', next: 'build' })
  })

  it('do nothing out of turn, unless it is wanted anyway', async () => {
    const [, early] = await commands({}, wanted('draft'), wanted('build'))
    expect(early?.performed).toEqual([])
    expect(early?.end?.pause?.next).toBe('judge')
    const [, anyway] = await commands({}, wanted('draft'), wanted('build', { anyway: true }))
    expect(anyway?.performed).toEqual(['build#1'])
  })

  it('may bring inputs of their own', async () => {
    const [, second] = await commands({}, wanted('draft'), wanted('judge', { inputs: { depth: 'deep' } }))
    expect(second?.requests[0]?.values).toMatchObject({ depth: 'deep', mode: 'judge', task: 'demo' })
  })

  it('let a failure be tried again, where the run is known by a name', async () => {
    const [first, second] = await commands({ write: ['failed', 'ok'] }, wanted('all'), wanted('draft'))
    expect(first?.end).toMatchObject({ outcome: 'failed', exitCode: 1, pause: { next: 'write' } })
    expect(second?.performed).toEqual(['write#2'])
  })

  it('go to the step that mends what no lap was left for, and count laps anew', async () => {
    const script = { judge: ['REJECT'] }
    const [first, second] = await commands(script, wanted('all'), wanted('all'))
    expect(first?.performed).toEqual(['write#1', 'judge#1', 'write#2', 'judge#2'])
    expect(first?.end).toMatchObject({ exitCode: 1, pause: { next: 'write' } })
    expect(second?.performed).toEqual(['write#3', 'judge#3', 'write#4', 'judge#4'])
  })

  it('have a time limit each: days may lie between two of them', async () => {
    let time = 0
    const clock = { now: () => new Date((time += 1000)), sleep: () => Promise.resolve() }
    const common = { workflow, mode: 'draft', clock, timeLimitMs: 60_000 }
    const { run } = await playScripted(common)
    time += 86_400_000
    const { end } = await playScripted({ ...common, run, wanted: wanted('judge') })
    expect(end).toMatchObject({ outcome: 'ok', pause: { next: 'build' } })
  })
})

describe('a workflow whose runs have no name', () => {
  it('ends by a failure', async () => {
    const nameless = workflowOf(workflow.steps, { modes })
    const { end } = await playScripted({ workflow: nameless, mode: 'draft', script: { write: ['failed'] } })
    expect(end).toMatchObject({ outcome: 'failed', exitCode: 1 })
    expect(end?.pause).toBeUndefined()
  })
})
