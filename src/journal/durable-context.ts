import { SuspendedError } from '../model/durable.ts'
import type { Attempt, DurableContext, Instant, PersonMessage, Question } from '../model/durable.ts'
import { engineEvent, eventOf } from '../model/event.ts'
import type { JournalLine, RunEvent } from '../model/event.ts'
import { survivesJson, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { instantOf, systemClock } from '../platform/clock.ts'
import type { Clock } from '../platform/clock.ts'
import { parsePersonMessage } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './open-journal.ts'
import { openReplay, RefusedStepError } from './replay.ts'
import type { Replay } from './replay.ts'

const largestValue = 100_000

export interface ContextOptions {
  readonly runId: string
  readonly journal: Journal
  readonly recorded: readonly JournalLine[]
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly inbox: Inbox
  /** How long nobody ran the run: what it reckons with is the time that it was run. */
  readonly pausedMs?: number
  /** A person at the terminal. Undefined means that nobody is there: the run suspends. */
  readonly askPerson?: (question: Question, signal: AbortSignal) => Promise<PersonMessage | undefined>
}

/** The durable context on one machine: replay what the journal holds, then go on and write. */
export function openContext(options: ContextOptions): DurableContext {
  return scoped(options, openReplay(options.recorded), '')
}

function scoped(options: ContextOptions, replay: Replay, scope: string): DurableContext {
  const { journal, clock, signal, runId, pausedMs = 0 } = options

  /** A key is looked up as it was written: a path in it may hold what the journal must not. */
  const written = (key: string): string => textOf(journal.clean(key))

  /** Replayed values come from the journal; new ones are made, proved to survive JSON, and written before they are used. */
  const once = async <T extends Json>(
    key: string,
    make: () => Promise<T>,
    write: Journal['append'] = (event) => journal.append(event),
  ): Promise<T> => {
    const place = replay.enter(scope, key, written)
    if (place.type === 'recorded') return place.value as T
    try {
      signal.throwIfAborted()
      const value = journal.clean(checked(key, await make()))
      await write(engineEvent('checkpoint', { key: `${scope}${key}`, value }))
      return value as T
    } finally {
      place.leave()
    }
  }

  const lazily = (event: RunEvent): Promise<void> => journal.appendLazily(event)
  const attempt: Attempt = { signal, note: lazily }
  return {
    runId,
    signal,
    step: (key, act) => once(key, () => act(attempt)),
    repeatable: (key, act) => once(key, () => act(attempt), lazily),
    async child(key, branch) {
      const name = written(key)
      const inner = `${scope}${name}>`
      const result = replay.child(scope, name)
      if (result.type === 'recorded') return result.value as never
      return runChild(branch, { options, replay, inner, key: `${scope}${name}`, leave: result.leave })
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
    async record(key, event) {
      const place = replay.enter(scope, key, written)
      if (place.type === 'recorded') return
      try {
        await journal.appendLazily(keyed(eventOf(event), `${scope}${key}`))
      } finally {
        place.leave()
      }
    },
  }
}

interface ChildRun {
  readonly options: ContextOptions
  readonly replay: Replay
  readonly inner: string
  readonly key: string
  readonly leave: () => void
}

async function runChild<T extends Json>(
  branch: (context: DurableContext) => Promise<T>,
  run: ChildRun,
): Promise<T> {
  try {
    const value = run.options.journal.clean(
      checked(run.key, await branch(scoped(run.options, run.replay, run.inner))),
    )
    await run.options.journal.append(engineEvent('checkpoint', { key: run.key, value, child: true }))
    return value as T
  } finally {
    run.leave()
  }
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
  const sayWaiting = async (): Promise<void> => {
    if (isSaid) return
    isSaid = true
    const { step, text, verbs } = question
    const data = { step, question: text, verbs: [...verbs], asked: key }
    await options.journal.append(engineEvent('run.waiting', data))
  }
  const { askPerson } = options
  const spoken = askPerson && (await hearFirst({ ...asked, askPerson, sayWaiting }, options, replay))
  if (spoken) return spoken
  await sayWaiting()
  throw new SuspendedError(question)
}

interface Listening extends Asked {
  readonly askPerson: NonNullable<ContextOptions['askPerson']>
  readonly sayWaiting: () => Promise<void>
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
      await sayWaiting()
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
