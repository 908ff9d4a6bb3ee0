import { assert, asyncProperty, array, nat } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { workflows, worlds } from '../../test/support/arbitrary-workflow.ts'
import type { World } from '../../test/support/arbitrary-workflow.ts'
import { memoryRun } from '../../test/support/memory-journal.ts'
import { playScripted } from '../../test/support/scripted-run.ts'
import type { PlayedRun, Script, Scripted } from '../../test/support/scripted-run.ts'
import type { JournalLine } from '../model/event.ts'
import { isJsonObject } from '../model/json.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { Workflow } from '../model/workflow.ts'

/** No workflow of this size needs more; one that does has no end. */
const mostVisits = 20_000

/** The same key always comes to the same end, in whatever process it is asked for. */
function scriptOf(world: World): Script {
  let visits = 0
  const scripted: Scripted = ({ key }: StepRequest) => {
    visits += 1
    if (visits > mostVisits) throw new Error('no end')
    const end = world.ends[hashOf(key) % world.ends.length] ?? 'ok'
    const about = world.findings[hashOf(key) % world.findings.length] ?? ''
    if (end !== 'REJECT' || about === '') return end
    return { outcome: 'revise', label: 'REJECT', answer: { findings: [{ id: 'F1', about }] } }
  }
  return new Proxy({}, { get: () => [scripted] })
}

function hashOf(text: string): number {
  let hash = 7
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return hash
}

function play(workflow: Workflow, world: World, recorded: readonly JournalLine[] = []): Promise<PlayedRun> {
  return playScripted({
    ...{ workflow, script: scriptOf(world), run: memoryRun(recorded) },
    values: { tasks: Array.from({ length: world.tasks }, (_, n) => ({ id: `T${n}` })), deep: world.deep },
    person: world.said.slice(recorded.filter(isMessage).length),
  })
}

function isMessage({ data }: JournalLine): boolean {
  return isJsonObject(data['value']) && typeof data['value']['verb'] === 'string'
}

/** What was decided, in order, without times. That nobody was there is said anew by every process. */
function decisions(lines: readonly JournalLine[]): unknown[] {
  return lines
    .filter(({ type }) => type !== 'run.waiting')
    .map(({ role, type, data }) => ({ role, type, data }))
}

describe('any workflow that the loader allows, in any world', () => {
  it('ends, or waits for a person (C-10: every loop has a limit)', async () => {
    await assert(
      asyncProperty(workflows, worlds, async (workflow, world) => {
        const { end, waiting } = await play(workflow, world)
        expect(end === undefined).toBe(waiting !== undefined)
      }),
      { numRuns: 400 },
    )
  })

  it('comes to the same decisions and the same end from any point at which it was cut off', async () => {
    await assert(
      asyncProperty(
        workflows,
        worlds,
        array(nat(), { minLength: 3, maxLength: 3 }),
        async (workflow, world, cuts) => {
          const whole = await play(workflow, world)
          for (const cut of cuts) {
            const prefix = whole.lines.slice(0, cut % (whole.lines.length + 1))
            const resumed = await play(workflow, world, prefix)
            expect(decisions(resumed.lines)).toEqual(decisions(whole.lines))
            expect(resumed.end).toEqual(whole.end)
            expect(resumed.waiting).toEqual(whole.waiting)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('performs no step again whose result was recorded', async () => {
    await assert(
      asyncProperty(workflows, worlds, nat(), async (workflow, world, cut) => {
        const whole = await play(workflow, world)
        const prefix = whole.lines.slice(0, cut % (whole.lines.length + 1))
        const recorded = new Set(
          prefix.filter(({ type }) => type === 'checkpoint').map(({ data }) => data['key']),
        )
        const { requests } = await play(workflow, world, prefix)
        for (const { key } of requests) expect(recorded.has(`${key}/result`)).toBe(false)
      }),
      { numRuns: 150 },
    )
  })
})
