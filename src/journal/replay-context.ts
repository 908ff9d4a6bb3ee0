import type { DurableContext } from '../model/durable.ts'
import { eventOf } from '../model/event.ts'
import type { RunEvent } from '../model/event.ts'
import { FailureError } from '../model/failure.ts'
import { firstDifference } from '../model/first-difference.ts'
import type { Difference } from '../model/first-difference.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { parsePersonMessage } from './inbox.ts'
import type { Recording } from './recording.ts'
import { recordedOf } from './recorded.ts'
import { openReplay } from './replay.ts'
import type { Replay, ReplayBranch } from './replay.ts'

/** Everything came out as it was recorded, and nothing more is recorded: here the run was cut off, or waits. */
export class EndOfRecordingError extends Error {
  readonly key: string

  constructor(key: string) {
    super(`nothing is recorded from '${key}' on`)
    this.name = 'EndOfRecordingError'
    this.key = key
  }
}

/** The first thing that came out otherwise than it was recorded. */
export class DifferenceError extends Error {
  readonly key: string
  readonly difference: Difference

  constructor(key: string, difference: Difference) {
    super(`'${key}' is not as it was recorded`)
    this.name = 'DifferenceError'
    this.key = key
    this.difference = difference
  }
}

export interface ReplayOptions {
  readonly recording: Recording
  readonly signal: AbortSignal
  /** Which steps are done again and compared; of the others the recorded value is taken. */
  readonly isDoneAgain: (key: string) => boolean
  /** What was recorded, as it has to look here: folders are others now. */
  readonly here: (value: Json) => Json
  /** As the journal would have written it. */
  readonly clean: (value: Json) => Json
  /** Called before a step is done or its value is taken. */
  readonly onStep: (key: string, recorded: Json) => Promise<void>
}

/** A context that goes through a recorded run once more: what came from outside is taken from the recording. */
export function openReplayContext(options: ReplayOptions): DurableContext {
  return scoped(options, openReplay(recordedOf(options.recording.lines)), '')
}

function scoped(options: ReplayOptions, replay: Replay, scope: string): DurableContext {
  const { recording, signal, here, clean } = options
  const own = replay.branch(scope)

  const recorded = (key: string): Json => {
    signal.throwIfAborted()
    const value = taken(own, { scope, key: textOf(clean(key)) })
    if (value === undefined) throw new EndOfRecordingError(`${scope}${key}`)
    return here(value)
  }

  const step: DurableContext['step'] = async (key, act) => {
    const full = `${scope}${key}`
    const value = recorded(key)
    await options.onStep(full, value)
    if (!options.isDoneAgain(full)) return value as never
    const made = await act({ signal, note: () => Promise.resolve() })
    compare(full, value, clean(JSON.parse(JSON.stringify(made)) as Json))
    return value as never
  }
  return {
    runId: recording.folder.id,
    signal,
    step,
    repeatable: step,
    async child(key, branch) {
      const value = await branch(scoped(options, replay, `${scope}${key}>`))
      const before = recording.value(`${scope}${key}`)
      if (before === undefined) throw new EndOfRecordingError(`${scope}${key}`)
      compare(`${scope}${key}`, here(before), value)
      return value
    },
    async message(key) {
      const value = recorded(key)
      return value === null ? undefined : parsePersonMessage(value)
    },
    async sleep(key) {
      recorded(key)
    },
    async now(key) {
      return Number(recorded(key))
    },
    async record(key, event) {
      recorded(key)
      const line = recording.fact(textOf(clean(`${scope}${key}`)))
      if (line) compare(`${scope}${key}`, here(factOf(line)), clean(factOf(eventOf(event))))
    },
  }
}

/** Another key than the recorded one means that the run goes another way. */
function taken(
  branch: ReplayBranch,
  { scope, key }: { readonly scope: string; readonly key: string },
): Json | undefined {
  try {
    return branch.take(key)
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    throw new DifferenceError(`${scope}${key}`, { path: '', recorded: error.message, replayed: key })
  }
}

function factOf({ type, role, data }: RunEvent): JsonObject {
  const { key: _key, ...rest } = data
  return { type, role, ...rest }
}

function compare(key: string, recorded: Json, replayed: Json): void {
  const difference = firstDifference(withoutChance(recorded), withoutChance(replayed))
  if (difference) throw new DifferenceError(key, difference)
}

/** What is no other outcome: when a quota is there again, reckoned from now, and the number of a snapshot. */
function withoutChance(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(/(refs\/baton\/\d+\/)\d+/g, '$1<n>')
  if (Array.isArray(value)) return value.map((part: Json) => withoutChance(part))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === 'resetsAt' || key === 'resets_at' ? '<time>' : withoutChance(part),
    ]),
  )
}
