import { SuspendedError } from '../model/durable.ts'
import type { Attempt, DurableContext, Instant, PersonMessage, Question } from '../model/durable.ts'
import { engineEvent, eventOf } from '../model/event.ts'
import type { RunEvent } from '../model/event.ts'
import { survivesJson, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { instantOf, systemClock } from '../platform/clock.ts'
import type { Clock } from '../platform/clock.ts'
import { parsePersonMessage } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './open-journal.ts'
import type { Recorded } from './recorded.ts'
import { openReplay, RefusedStepError } from './replay.ts'
import type { Replay } from './replay.ts'

const largestValue = 100_000

export interface ContextOptions {
  readonly runId: string
  readonly journal: Journal
  readonly recorded: Recorded
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly inbox: Inbox
  /** How long nobody ran the run: what it reckons with is the time that it was run. */
  readonly pausedMs?: number
  /** Told whenever something is done that was not recorded: the replay is over. */
  readonly onNew?: () => void
  /** A person at the terminal. Undefined means that nobody is there: the run suspends. */
  readonly askPerson?: (question: Question, signal: AbortSignal) => Promise<PersonMessage | undefined>
}

/** The durable context on one machine: replay what the journal holds, then go on and write. */
export function openContext(options: ContextOptions): DurableContext {
  return scoped(options, openReplay(options.recorded, writtenBy(options.journal)), '')
}

/** A key is looked up as it was written: a path in it may hold what the journal must not. */
function writtenBy(journal: Journal): (key: string) => string {
  return (key) => textOf(journal.clean(key))
}

const done = Promise.resolve()

type Append = (event: RunEvent) => Promise<void>

function scoped(options: ContextOptions, replay: Replay, scope: string): DurableContext {
  const { journal, clock, signal, runId, pausedMs = 0, onNew } = options
  const branch = replay.branch(scope)
  const written = writtenBy(journal)

  const lazily = (event: RunEvent): Promise<void> => journal.appendLazily(event)
  const atOnce = (event: RunEvent): Promise<void> => journal.append(event)
  const attempt: Attempt = { signal, note: lazily }

  /** New values are made, proved to survive JSON, and written before they are used. */
  async function make<T extends Json>(key: string, act: () => Promise<T>, append: Append): Promise<T> {
    onNew?.()
    const leave = branch.begin(key)
    try {
      signal.throwIfAborted()
      const value = journal.clean(checked(key, await act()))
      await append(engineEvent('checkpoint', { key: `${scope}${key}`, value }))
      return value as T
    } finally {
      leave()
    }
  }

  /** Replayed values come from the journal. Not `async`, nor is `record`: of a long run, most calls only look there. */
  function once<T extends Json>(key: string, act: () => Promise<T>, append = atOnce): Promise<T> {
    try {
      const value = branch.take(key)
      return value === undefined ? make(key, act, append) : Promise.resolve(value as T)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function write(key: string, event: RunEvent): Promise<void> {
    onNew?.()
    const leave = branch.begin(key)
    try {
      await lazily(keyed(event, `${scope}${key}`))
    } finally {
      leave()
    }
  }

  return {
    runId,
    signal,
    step: (key, act) => once(key, () => act(attempt)),
    repeatable: (key, act) => once(key, () => act(attempt), lazily),
    async child(key, act) {
      const name = written(key)
      const value = branch.child(name)
      if (value !== undefined) return value as never
      return runChild(act, { options, replay, inner: `${scope}${name}>`, key: `${scope}${name}` })
    },
    // Whatever is done because of it is recorded after it.
    now: (key) => once(key, () => Promise.resolve(instantOf(clock) - pausedMs), lazily),
    async sleep(key, until) {
      await once(key, async () => {
        await clock.sleep(Math.max(0, until + pausedMs - instantOf(clock)), signal)
        return until
      })
    },
    async message(key, question) {
      const value = await once<Json>(
        key,
        async () =>
          (await receive(options, replay, { key: replay.asked(`${scope}${written(key)}`), question })) ??
          null,
      )
      if (value === null) return undefined
      const message = parsePersonMessage(value)
      replay.messageIds.add(message.id)
      return message
    },
    record(key, event) {
      try {
        return branch.take(key) === undefined ? write(key, eventOf(event)) : done
      } catch (error) {
        return Promise.reject(error)
      }
    },
  }
}

interface ChildRun {
  readonly options: ContextOptions
  readonly replay: Replay
  readonly inner: string
  readonly key: string
}

async function runChild<T extends Json>(
  branch: (context: DurableContext) => Promise<T>,
  { options, replay, inner, key }: ChildRun,
): Promise<T> {
  const { journal } = options
  const value = journal.clean(checked(key, await branch(scoped(options, replay, inner))))
  await journal.append(engineEvent('checkpoint', { key, value, child: true }))
  return value as T
}

interface Asked {
  readonly key: string
  readonly question: Question
}

async function receive(
  options: ContextOptions,
  replay: Replay,
  asked: Asked,
): Promise<PersonMessage | undefined> {
  const { key, question } = asked
  const { clock, signal } = options
  const until: Instant | undefined =
    question.withinMs === undefined ? undefined : instantOf(clock) + question.withinMs
  for (;;) {
    const waiting = await answerTo(key, options, replay)
    if (waiting) return waiting
    if (until === undefined) break
    if (instantOf(clock) >= until) return undefined
    await clock.sleep(50, signal)
  }
  let isSaid = false
  const sayWaiting = async (stays: boolean): Promise<void> => {
    if (isSaid) return
    isSaid = true
    const { step, text, verbs } = question
    const data = { step, question: text, verbs: [...verbs], asked: key, ...(stays ? { stays } : {}) }
    await options.journal.append(engineEvent('run.waiting', data))
  }
  const { askPerson } = options
  const spoken = askPerson && (await hearFirst({ ...asked, askPerson, sayWaiting }, options, replay))
  if (spoken) return spoken
  await sayWaiting(false)
  throw new SuspendedError(question)
}

interface Listening extends Asked {
  readonly askPerson: NonNullable<ContextOptions['askPerson']>
  readonly sayWaiting: (stays: boolean) => Promise<void>
}

/** Who is there may answer, and so may anybody from another process: the first is heard. */
async function hearFirst(
  { key, question, askPerson, sayWaiting }: Listening,
  options: ContextOptions,
  replay: Replay,
): Promise<PersonMessage | undefined> {
  const over = new AbortController()
  const signal = AbortSignal.any([options.signal, over.signal])
  const listen = async (): Promise<PersonMessage | undefined> => {
    for (;;) {
      // Not the run's clock: this is about another process, whose time is everybody's.
      await systemClock.sleep(pollMs, signal)
      await sayWaiting(true)
      const message = await answerTo(key, options, replay)
      if (message) return message
    }
  }
  // The one that comes second ends with the signal, and nobody asks it any more.
  const quietly = (one: Promise<PersonMessage | undefined>): Promise<PersonMessage | undefined> =>
    one.catch((error: unknown) => {
      if (over.signal.aborted) return undefined
      throw error
    })
  try {
    return await Promise.race([quietly(askPerson(question, signal)), quietly(listen())])
  } finally {
    over.abort()
  }
}

const pollMs = 200

/** A message that names another question was meant for what its sender saw then: it is kept, said, and not used. */
async function answerTo(
  key: string,
  { inbox, journal }: ContextOptions,
  { messageIds }: Replay,
): Promise<PersonMessage | undefined> {
  for (;;) {
    const message = await inbox.take(messageIds)
    if (message?.to === undefined || message.to === key) return message
    await inbox.putAside(message)
    const { id, verb, text } = message
    await journal.append(engineEvent('run.warned', { about: 'message_aside', id, verb, text }))
  }
}

function keyed(event: RunEvent, key: string): RunEvent {
  return { ...event, data: { ...event.data, key } }
}

/** The first run sees exactly what a replay will see: the value after a round trip through JSON. */
function checked(key: string, value: Json): Json {
  if (!survivesJson(value)) throw new RefusedStepError(`the value of '${key}' does not survive JSON`)
  const text = JSON.stringify(value)
  if (text.length > largestValue) {
    throw new RefusedStepError(
      `the value of '${key}' has ${text.length} characters; the limit is ${largestValue}`,
    )
  }
  return JSON.parse(text) as Json
}
