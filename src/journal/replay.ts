import { FailureError, exitCodes } from '../model/failure.ts'
import type { Json } from '../model/json.ts'
import { openKeySet } from './key-set.ts'
import type { KeySet } from './key-set.ts'
import type { Recorded, RecordedBranch } from './recorded.ts'

/** A use of the context that no durable engine could replay. A bug in the caller, never in a user's file. */
export class RefusedStepError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RefusedStepError'
  }
}

/** What the journal holds, in the order in which it was asked for, branch by branch. */
export interface Replay {
  branch(name: string): ReplayBranch
  /** Messages that were recorded, by an earlier process or this one: each answers one question only. */
  readonly messageIds: Set<string>
  /** The name of a question: one that is asked again after an undo is another one. */
  asked(key: string): string
}

export interface ReplayBranch {
  /** The value that was recorded next, which must be that of the key; undefined where the record ends. */
  take(key: string): Json | undefined
  /** A step beyond the record. What it returns is called at its end. */
  begin(key: string): () => void
  /** The value of a branch of this branch, once it has ended. */
  child(key: string): Json | undefined
}

interface Scope extends RecordedBranch {
  cursor: number
  /** What was asked for beyond the record. */
  readonly seen: KeySet
  /** Once the first new step begins: until then nothing else than the record can have been asked for. */
  isBeyond: boolean
  looks: number
  recorded?: ReadonlySet<string>
  busyWith: string | undefined
}

/**
 * Positional engines number steps by call order, so calls that race or come in another order than the first
 * time break them. Here keys would hide that; so order, doubles and overlaps are refused just the same.
 *
 * A key stands in the journal as it was written; `written` tells how that is.
 */
export function openReplay(
  { branches, children, messageIds, undos }: Recorded,
  written: (key: string) => string = (key) => key,
): Replay {
  const scopes = new Map<string, Scope>()
  const scopeOf = (name: string): Scope => {
    const known = scopes.get(name)
    if (known) return known
    const fresh = openScope(branches.get(name))
    scopes.set(name, fresh)
    return fresh
  }
  return {
    messageIds: new Set(messageIds),
    asked: (key) => (undos === 0 ? key : `${key}~${undos}`),
    branch(name) {
      const scope = scopeOf(name)
      return {
        take: (key) => takeNext(scope, key, written),
        begin: (key) => begin(scope, key, written(key)),
        child(key) {
          claim(scope, key)
          return children.get(`${name}${key}`)
        },
      }
    },
  }
}

function openScope({ keys, values }: RecordedBranch = { keys: [], values: [] }): Scope {
  return { keys, values, cursor: 0, seen: openKeySet(), isBeyond: false, looks: 0, busyWith: undefined }
}

function takeNext(scope: Scope, key: string, written: (key: string) => string): Json | undefined {
  const { keys, values, cursor } = scope
  if (cursor === keys.length) return undefined
  const recorded = keys[cursor]
  // Most keys are written as they are: only another one has to be looked at closely.
  if (recorded !== key && recorded !== written(key)) throw refusal(scope, written(key))
  const value = values[cursor]
  // Whoever asked for it keeps it as long as it is needed.
  values[cursor] = null
  scope.cursor = cursor + 1
  return value
}

function begin(scope: Scope, key: string, written: string): () => void {
  scope.isBeyond = true
  claim(scope, written)
  if (scope.busyWith !== undefined) {
    throw new RefusedStepError(
      `'${key}' began while '${scope.busyWith}' was under way; use child for branches`,
    )
  }
  scope.busyWith = key
  return () => (scope.busyWith = undefined)
}

const fewLooks = 20

/** A run that soon waits again looks for a few keys only, and a set of ten thousand takes longer to make than those. */
function isRecorded(scope: Scope, key: string): boolean {
  scope.looks += 1
  if (scope.looks <= fewLooks) return scope.keys.includes(key)
  // Texts that are there anyway: ten times as fast as to put each into the other set.
  scope.recorded ??= new Set(scope.keys)
  return scope.recorded.has(key)
}

function claim(scope: Scope, key: string): void {
  if (key.includes('>')) throw new RefusedStepError(`the key '${key}' holds '>', which separates branches`)
  if ((scope.isBeyond && isRecorded(scope, key)) || !scope.seen.add(key)) throw twice(key)
}

function twice(key: string): RefusedStepError {
  return new RefusedStepError(`two steps have the key '${key}'`)
}

/** A key that was asked for already is the caller's mistake; any other tells of another version or workflow. */
function refusal({ keys, cursor }: Scope, key: string): Error {
  return keys.slice(0, cursor + 1).includes(key) ? twice(key) : diverged(key, keys[cursor] ?? '')
}

function diverged(asked: string, recorded: string): FailureError {
  return new FailureError({
    code: 'journal.diverged',
    message: `The journal says that '${recorded}' came next, but the run asks for '${asked}'.`,
    next: 'Resume with the version of Baton that started the run (baton show <run> names it), or start the task anew.',
    exitCode: exitCodes.failed,
  })
}
