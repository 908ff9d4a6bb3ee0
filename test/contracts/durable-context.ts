// What every durable context promises, whatever it writes to. Run over each implementation (see *.test.ts beside this file).
import { describe, expect, it } from 'vitest'
import { SuspendedError } from '../../src/model/durable.ts'
import type { DurableContext, PersonMessage, Question } from '../../src/model/durable.ts'
import { engineEvent } from '../../src/model/event.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { Json } from '../../src/model/json.ts'
import { fixedClock } from '../../src/platform/clock.ts'
import type { Clock } from '../../src/platform/clock.ts'

/** A way to open contexts: each call of `newRun` is another run with nothing recorded. */
export interface DurableHarness {
  newRun(): Promise<DurableRun>
}

/** One run. Opening it again is what a new process does after the old one died: only what was recorded is left. */
export interface DurableRun {
  open(options?: OpenOptions): Promise<DurableContext>
  /** Facts that were written, oldest first, without checkpoints. */
  facts(): Promise<readonly RunEvent[]>
  /** What a second process does: `baton approve` and the like. */
  tell(message: Omit<PersonMessage, 'id'> & { readonly to: string }): Promise<void>
}

interface OpenOptions {
  readonly clock?: Clock
  readonly signal?: AbortSignal
  readonly askPerson?: (question: Question) => Promise<PersonMessage | undefined>
}

const question: Question = { step: 'plan', text: 'Go on?', verbs: ['approve', 'reject', 'answer'] }

/** Two branches whose steps come in turns, and a step before and after them. */
async function twoBranches(context: DurableContext, acts: string[]): Promise<Json> {
  const act = (name: string) => async (): Promise<string> => {
    acts.push(name)
    // Several turns of the event loop, another number for each, so that the branches overtake one another.
    for (let turn = 0; turn < (name.length * 7) % 5; turn++) await Promise.resolve()
    return name
  }
  const branch = (name: string, length: number) => async (inner: DurableContext) => {
    const values: string[] = []
    for (let n = 1; n <= length; n++) {
      values.push(await inner.step(`s${n}`, act(`${name}${n}`)))
      await inner.record(`r${n}`, engineEvent('said', { text: `${name}${n}` }))
    }
    return values
  }
  const first = await context.step('first', act('first'))
  const [left, right] = await Promise.all([
    context.child('left', branch('left', 3)),
    context.child('right', branch('right', 2)),
  ])
  const last = await context.step('last', act('last'))
  return [first, left, right, last]
}

const twoBranchesEnd = ['first', ['left1', 'left2', 'left3'], ['right1', 'right2'], 'last']

/** A step that has begun and ends when it is told to. */
async function underWay(
  context: DurableContext,
): Promise<{ slow: Promise<number>; end: (value: number) => void }> {
  const { promise: begun, resolve: begin } = deferred<undefined>()
  const { promise: result, resolve: end } = deferred<number>()
  const slow = context.step('slow', () => {
    begin(undefined)
    return result
  })
  await begun
  return { slow, end }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

class Crash extends Error {}

/** Dies before or after its n-th operation; from then on nothing works any more, in any branch. */
function mortal(context: DurableContext, dies: { at: number; when: 'before' | 'after' }): DurableContext {
  let operations = 0
  const guard = async <T>(operate: () => Promise<T>): Promise<T> => {
    operations += 1
    const mine = operations
    if (mine > dies.at || (mine === dies.at && dies.when === 'before')) throw new Crash()
    const value = await operate()
    if (mine === dies.at) throw new Crash()
    return value
  }
  const wrapped = (inner: DurableContext): DurableContext => ({
    runId: inner.runId,
    signal: inner.signal,
    step: (key, act) => guard(() => inner.step(key, act)),
    repeatable: (key, act) => guard(() => inner.repeatable(key, act)),
    child: (key, branch) => inner.child(key, (deeper) => branch(wrapped(deeper))),
    message: (key, asked) => guard(() => inner.message(key, asked)),
    sleep: (key, until) => guard(() => inner.sleep(key, until)),
    now: (key) => guard(() => inner.now(key)),
    record: (key, event) => guard(() => inner.record(key, event)),
  })
  return wrapped(context)
}

class Point {
  readonly x = 1
}

export function describeDurableContext(name: string, harness: DurableHarness): void {
  describe(`${name}: repeatable`, () => {
    it('never runs an act again whose value was recorded, as a step does not', async () => {
      const run = await harness.newRun()
      let acts = 0
      const play = async (): Promise<Json> => {
        const context = await run.open()
        const first = await context.repeatable('tidy', async () => ({ act: ++acts }))
        return [first, await context.step('next', async () => acts)]
      }
      expect([await play(), await play()]).toEqual([
        [{ act: 1 }, 1],
        [{ act: 1 }, 1],
      ])
    })
  })

  describe(`${name}: step`, () => {
    it('gives the value of the act', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      expect(await context.step('plan', async () => ({ tasks: ['T1', 'T2'] }))).toEqual({
        tasks: ['T1', 'T2'],
      })
    })

    it('never runs an act again whose value was recorded', async () => {
      const run = await harness.newRun()
      let acts = 0
      const play = async (): Promise<Json> => {
        const context = await run.open()
        return context.step('plan', async () => ({ act: ++acts }))
      }
      expect([await play(), await play(), await play()]).toEqual([{ act: 1 }, { act: 1 }, { act: 1 }])
      expect(acts).toBe(1)
    })

    it('does not record an act that threw, and runs it again', async () => {
      const run = await harness.newRun()
      const failing = await run.open()
      await failing.step('before', async () => 1)
      await expect(failing.step('plan', () => Promise.reject(new Error('crashed')))).rejects.toThrow(
        'crashed',
      )
      const again = await run.open()
      expect(await again.step('before', async () => 2)).toBe(1)
      expect(await again.step('plan', async () => 'done')).toBe('done')
    })

    it.each<[string, Json]>([
      ['text', 'ä\n\u2028"\\'],
      ['an empty text', ''],
      ['a lone surrogate', '\uD83D'],
      ['a number', -1.5e-7],
      ['false', false],
      ['null', null],
      ['a list in a list', [[], [[null]]]],
      ['an object with odd keys', { '': 1, 'a b': 2, '>': 3, constructor: 4, toString: 5 }],
      ['a key that is dangerous in JavaScript', JSON.parse('{"__proto__":{"a":1}}') as Json],
      ['something that looks like a message', { verb: 'approve', id: 'x', text: '' }],
    ])('gives back %s in a replay as it was', async (_name, value) => {
      const run = await harness.newRun()
      const first = await (await run.open()).step('value', async () => value)
      const replayed = await (await run.open()).step<Json>('value', async () => 'another')
      expect(JSON.stringify(first)).toBe(JSON.stringify(value))
      expect(JSON.stringify(replayed)).toBe(JSON.stringify(value))
    })

    it('gives the first run a copy, as a replay would: what the act keeps and changes later is not seen', async () => {
      const run = await harness.newRun()
      const kept = { tasks: ['T1'] }
      const context = await run.open()
      const value = await context.step('plan', async () => kept)
      kept.tasks.push('T2')
      expect(value).toEqual({ tasks: ['T1'] })
      expect(await context.step('zero', async () => -0)).toBe(0)
    })

    it.each<[string, unknown]>([
      ['undefined', undefined],
      ['an undefined property', { a: undefined }],
      ['a date', new Date(0)],
      ['a date inside', { at: [new Date(0)] }],
      ['NaN', Number.NaN],
      ['infinity', { most: Number.POSITIVE_INFINITY }],
      ['an instance of a class', new Point()],
      ['a map', new Map([['a', 1]])],
      ['a function', () => 1],
      ['a function inside', { run: () => 1 }],
      ['a bigint', 1n],
      ['a symbol', Symbol('a')],
      ['a list with a hole', [1, , 3]], // oxlint-disable-line no-sparse-arrays
      ['a property with a symbol', { [Symbol('a')]: 1 }],
    ])('refuses %s, which does not survive JSON', async (_name, value) => {
      const run = await harness.newRun()
      const context = await run.open()
      await expect(context.step('plan', async () => value as Json)).rejects.toMatchObject({
        name: 'RefusedStepError',
        message: expect.stringContaining('does not survive JSON') as string,
      })
      expect(await (await run.open()).step('plan', async () => 'recorded')).toBe('recorded')
    })

    it('refuses a value of more than 100 KB and takes one just below', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await expect(context.step('large', async () => 'x'.repeat(100_001))).rejects.toMatchObject({
        name: 'RefusedStepError',
        message: expect.stringContaining('100000') as string,
      })
      expect(await context.step('fits', async () => 'x'.repeat(99_000))).toHaveLength(99_000)
    })

    it('refuses two steps with one key', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await context.step('plan', async () => 1)
      await expect(context.step('plan', async () => 2)).rejects.toMatchObject({ name: 'RefusedStepError' })
      await expect(context.now('plan')).rejects.toMatchObject({ name: 'RefusedStepError' })
      await expect(context.child('plan', async () => 3)).rejects.toMatchObject({ name: 'RefusedStepError' })
    })

    it('refuses two steps with one key in a replay too', async () => {
      const run = await harness.newRun()
      await (await run.open()).step('plan', async () => 1)
      const again = await run.open()
      await again.step('plan', async () => 1)
      await expect(again.step('plan', async () => 2)).rejects.toMatchObject({ name: 'RefusedStepError' })
    })

    it('refuses another order than the recorded one', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await context.step('one', async () => 1)
      await context.step('two', async () => 2)
      const again = await run.open()
      await expect(again.step('two', async () => 2)).rejects.toMatchObject({
        code: 'journal.diverged',
        message: expect.stringContaining("'one' came next") as string,
      })
    })

    it('refuses a new step between recorded ones', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await context.step('one', async () => 1)
      await context.record('noted', engineEvent('said', { text: 'one' }))
      const again = await run.open()
      await again.step('one', async () => 1)
      await expect(again.step('between', async () => 2)).rejects.toMatchObject({ code: 'journal.diverged' })
    })

    it('refuses steps side by side outside of child', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      const { slow, end } = await underWay(context)
      await expect(context.step('fast', async () => 2)).rejects.toMatchObject({
        name: 'RefusedStepError',
        message: expect.stringContaining('child') as string,
      })
      end(1)
      expect(await slow).toBe(1)
    })

    it('refuses facts and times beside a step that is under way', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      const { slow, end } = await underWay(context)
      const fact = engineEvent('said', { text: 'beside' })
      await expect(context.record('fact', fact)).rejects.toMatchObject({ name: 'RefusedStepError' })
      await expect(context.now('now')).rejects.toMatchObject({ name: 'RefusedStepError' })
      end(1)
      await slow
    })

    it('refuses a key with the character that separates branches', async () => {
      const context = await (await harness.newRun()).open()
      await expect(context.step('a>b', async () => 1)).rejects.toMatchObject({ name: 'RefusedStepError' })
    })
  })

  describe(`${name}: child`, () => {
    it('runs branches side by side, each with keys of its own', async () => {
      const acts: string[] = []
      const context = await (await harness.newRun()).open()
      expect(await twoBranches(context, acts)).toEqual(twoBranchesEnd)
      expect(acts.toSorted()).toEqual(twoBranchesEnd.flat().toSorted())
    })

    it('never runs a finished child again, not even its code', async () => {
      const run = await harness.newRun()
      let branches = 0
      const play = async (): Promise<Json> => {
        const context = await run.open()
        return context.child('left', async (inner) => {
          branches += 1
          return inner.step('s', async () => branches)
        })
      }
      expect([await play(), await play()]).toEqual([1, 1])
      expect(branches).toBe(1)
    })

    it('takes a finished child for finished whatever it came to, null included', async () => {
      const run = await harness.newRun()
      let branches = 0
      const play = async (): Promise<Json> => {
        const context = await run.open()
        return context.child<Json>('left', async () => {
          branches += 1
          return null
        })
      }
      expect([await play(), await play()]).toEqual([null, null])
      expect(branches).toBe(1)
    })

    it('has children of its own', async () => {
      const run = await harness.newRun()
      const acts: string[] = []
      const play = async (): Promise<Json> => {
        const context = await run.open()
        return context.child('outer', async (outer) => {
          const inner = await outer.child('inner', (deep) =>
            deep.step('s', async () => {
              acts.push('deep')
              return 1
            }),
          )
          await outer.step('s', async () => {
            acts.push('outer')
            return 2
          })
          if (acts.length < 3) throw new Crash()
          return inner
        })
      }
      await expect(play()).rejects.toThrow(Crash)
      acts.push('resumed')
      expect(await play()).toBe(1)
      expect(acts).toEqual(['deep', 'outer', 'resumed'])
    })

    it('refuses a value that does not survive JSON', async () => {
      const context = await (await harness.newRun()).open()
      await expect(context.child('left', async () => new Date(0) as unknown as Json)).rejects.toMatchObject({
        name: 'RefusedStepError',
      })
    })

    it('goes on after a crash at every point: what was recorded is not done again, and the end is the same', async () => {
      const operations = 12
      for (let at = 1; at <= operations; at++) {
        for (const when of ['before', 'after'] as const) {
          const run = await harness.newRun()
          const [before, after]: [string[], string[]] = [[], []]
          const dying = mortal(await run.open(), { at, when })
          await expect(twoBranches(dying, before), `${when} ${at}`).rejects.toThrow(Crash)
          // What had begun in the other branch ends; a real crash would not even let it.
          await new Promise((resolve) => setImmediate(resolve))
          expect(await twoBranches(await run.open(), after), `${when} ${at}`).toEqual(twoBranchesEnd)
          expect([...before, ...after].toSorted(), `${when} ${at}`).toEqual(twoBranchesEnd.flat().toSorted())
        }
      }
    })

    it('goes on after many crashes, one after another', async () => {
      const run = await harness.newRun()
      const acts: string[] = []
      let end: Json = null
      let crashes = 0
      for (let at = 1; end === null && at < 20; at++) {
        const dying = mortal(await run.open(), { at, when: 'after' })
        try {
          end = await twoBranches(dying, acts)
        } catch (error) {
          expect(error).toBeInstanceOf(Crash)
          crashes += 1
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(end).toEqual(twoBranchesEnd)
      expect(crashes).toBeGreaterThan(5)
      expect(acts.toSorted()).toEqual(twoBranchesEnd.flat().toSorted())
    })
  })

  describe(`${name}: record, now and sleep`, () => {
    it('writes a fact once over any number of replays', async () => {
      const run = await harness.newRun()
      for (let time = 0; time < 3; time++) {
        const context = await run.open()
        await context.record('said/start', { type: 'said', role: 'ARCHITECT', data: { text: 'Hello.' } })
        await context.step(`plan`, async () => 1)
      }
      const facts = await run.facts()
      expect(facts).toMatchObject([{ type: 'said', role: 'ARCHITECT', data: { text: 'Hello.' } }])
    })

    it('gives the same time in every replay', async () => {
      const run = await harness.newRun()
      const first = await (await run.open({ clock: fixedClock(new Date(1000)) })).now('now')
      const later = await (await run.open({ clock: fixedClock(new Date(9000)) })).now('now')
      expect([first, later]).toEqual([1000, 1000])
    })

    it('sleeps until the time it is given, and not again', async () => {
      const run = await harness.newRun()
      const slept: number[] = []
      const clock = (at: number): Clock => ({
        now: () => new Date(at),
        sleep: async (ms) => {
          slept.push(ms)
        },
      })
      await (await run.open({ clock: clock(1000) })).sleep('wait', 6000)
      await (await run.open({ clock: clock(2000) })).sleep('wait', 6000)
      expect(slept).toEqual([5000])
    })

    it('sleeps only for what is left after a crash in the middle', async () => {
      const run = await harness.newRun()
      const slept: number[] = []
      const dying: Clock = { now: () => new Date(1000), sleep: () => Promise.reject(new Crash()) }
      await expect((await run.open({ clock: dying })).sleep('wait', 6000)).rejects.toThrow(Crash)
      const later: Clock = {
        now: () => new Date(4000),
        sleep: async (ms) => {
          slept.push(ms)
        },
      }
      await (await run.open({ clock: later })).sleep('wait', 6000)
      expect(slept).toEqual([2000])
    })

    it('does not sleep for a time that has passed', async () => {
      const run = await harness.newRun()
      const clock = fixedClock(new Date(5000))
      await (await run.open({ clock })).sleep('wait', 1000)
      expect(clock.now().getTime()).toBe(5000)
    })

    it('notes facts while an act is under way', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await context.step('call', async (attempt) => {
        await attempt.note(engineEvent('agent.started', { step: 'call' }))
        return 1
      })
      await (
        await run.open()
      ).step('call', async (attempt) => {
        await attempt.note(engineEvent('agent.started', { step: 'call' }))
        return 2
      })
      expect(await run.facts()).toMatchObject([{ type: 'agent.started', data: { step: 'call' } }])
    })

    it('notes again in an act that is repeated: notes decide nothing', async () => {
      const run = await harness.newRun()
      const failing = await run.open()
      const noting = failing.step('call', async (attempt) => {
        await attempt.note(engineEvent('agent.started', { step: 'call' }))
        throw new Crash()
      })
      await expect(noting).rejects.toThrow(Crash)
      const again = await run.open()
      await again.step('call', async (attempt) => {
        await attempt.note(engineEvent('agent.started', { step: 'call' }))
        return 1
      })
      expect((await run.facts()).map(({ type }) => type)).toEqual(['agent.started', 'agent.started'])
    })
  })

  describe(`${name}: message`, () => {
    it('takes what a second process said', async () => {
      const run = await harness.newRun()
      await run.tell({ to: 'asked', verb: 'reject', text: 'too long' })
      const context = await run.open()
      expect(await context.message('asked', question)).toMatchObject({ verb: 'reject', text: 'too long' })
    })

    it('does not take for one question what was said to another, and says so', async () => {
      const run = await harness.newRun()
      await run.tell({ to: 'first', verb: 'approve', text: '' })
      await expect((await run.open()).message('second', question)).rejects.toThrow(SuspendedError)
      await run.tell({ to: 'second', verb: 'answer', text: 'blue' })
      expect(await (await run.open()).message('second', question)).toMatchObject({ text: 'blue' })
      expect(await run.facts()).toMatchObject([
        { type: 'run.warned', data: { about: 'message_aside', verb: 'approve' } },
        { type: 'run.waiting', data: { asked: 'second' } },
      ])
    })

    it('gives the same message in every replay, and each message to one question only', async () => {
      const run = await harness.newRun()
      await run.tell({ to: 'asked', verb: 'answer', text: 'one' })
      const first = await (await run.open()).message('asked', question)
      await run.tell({ to: 'asked/2', verb: 'answer', text: 'two' })
      const again = await run.open()
      expect(await again.message('asked', question)).toEqual(first)
      expect(await again.message('asked/2', question)).toMatchObject({ text: 'two' })
    })

    it('does not take a message twice when the process died right after it was recorded', async () => {
      const run = await harness.newRun()
      await run.tell({ to: 'asked', verb: 'approve', text: '' })
      await (await run.open()).message('asked', question)
      const again = await run.open()
      await again.message('asked', question)
      await expect(again.message('asked/2', question)).rejects.toThrow(SuspendedError)
    })

    it('asks the person who is there, and records the answer', async () => {
      const run = await harness.newRun()
      const asked: Question[] = []
      const askPerson = async (one: Question): Promise<PersonMessage> => {
        asked.push(one)
        return { id: 'p1', verb: 'approve', text: '' }
      }
      const first = await (await run.open({ askPerson })).message('asked', question)
      const replayed = await (await run.open({ askPerson })).message('asked', question)
      expect([first, replayed]).toEqual(
        Array.from({ length: 2 }, () => ({ id: 'p1', verb: 'approve', text: '' })),
      )
      expect(asked).toEqual([question])
    })

    it('suspends the run when nobody is there, and takes the answer when the run is opened again', async () => {
      const run = await harness.newRun()
      const context = await run.open()
      await expect(context.message('asked', question)).rejects.toMatchObject({
        name: 'SuspendedError',
        question,
      })
      expect(await run.facts()).toMatchObject([
        { type: 'run.waiting', data: { step: 'plan', question: 'Go on?', verbs: question.verbs } },
      ])
      await run.tell({ to: 'asked', verb: 'approve', text: '' })
      expect(await (await run.open()).message('asked', question)).toMatchObject({ verb: 'approve' })
    })

    it('expires to undefined when nobody spoke in time, and stays expired', async () => {
      const run = await harness.newRun()
      const clock = fixedClock(new Date(0))
      const context = await run.open({ clock })
      expect(await context.message('asked', { ...question, withinMs: 1000 })).toBeUndefined()
      expect(clock.now().getTime()).toBeGreaterThanOrEqual(1000)
      await run.tell({ to: 'asked', verb: 'approve', text: '' })
      const again = await run.open()
      expect(await again.message('asked', { ...question, withinMs: 1000 })).toBeUndefined()
    })

    it('takes a message that comes within the time', async () => {
      const run = await harness.newRun()
      let naps = 0
      const clock: Clock = {
        now: () => new Date(naps),
        sleep: async () => {
          naps += 1
          if (naps === 3) await run.tell({ to: 'asked', verb: 'approve', text: '' })
        },
      }
      const context = await run.open({ clock })
      expect(await context.message('asked', { ...question, withinMs: 10 })).toMatchObject({ verb: 'approve' })
    })
  })

  describe(`${name}: the signal`, () => {
    it('is the run’s own, and reaches the act', async () => {
      const run = await harness.newRun()
      const controller = new AbortController()
      const context = await run.open({ signal: controller.signal })
      const waiting = context.step('call', ({ signal }) => {
        return new Promise<Json>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        })
      })
      controller.abort()
      await expect(waiting).rejects.toThrow('stopped')
      expect(context.signal.aborted).toBe(true)
    })

    it('begins no act once it is aborted, but still replays what was recorded', async () => {
      const run = await harness.newRun()
      await (await run.open()).step('one', async () => 1)
      const stopped = await run.open({ signal: AbortSignal.abort() })
      expect(await stopped.step('one', async () => 2)).toBe(1)
      let acts = 0
      await expect(
        stopped.step('two', async () => {
          acts += 1
          return 2
        }),
      ).rejects.toMatchObject({ name: 'AbortError' })
      expect(acts).toBe(0)
    })

    it('wakes a sleep, which goes on after a resume', async () => {
      const run = await harness.newRun()
      const controller = new AbortController()
      const sleeping = (await run.open({ signal: controller.signal })).sleep('wait', Date.now() + 60_000)
      setTimeout(() => controller.abort(), 10)
      await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' })
      await (await run.open({ clock: fixedClock(new Date(0)) })).sleep('wait', 1)
    })
  })
}
