import { FailureError, exitCodes } from '../model/failure.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { JournalLine } from '../model/event.ts'
import { openKeySet } from './key-set.ts'
import type { KeySet } from './key-set.ts'
import { countUndos, standingLines } from '../model/undone.ts'

/** A use of the context that no durable engine could replay. A bug in the caller, never in a user's file. */
export class RefusedStepError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RefusedStepError'
  }
}

type Place =
  | { readonly type: 'recorded'; readonly value: Json }
  | { readonly type: 'new'; readonly leave: () => void }

/** What the journal holds, in the order in which it was asked for, branch by branch. */
export interface Replay {
  /** A key stands in the journal as it was written; `written` tells how that is. */
  enter(scope: string, key: string, written: (key: string) => string): Place
  child(scope: string, key: string): Place
  /** Messages that were recorded, by an earlier process or this one: each answers one question only. */
  readonly messageIds: Set<string>
  /** The name of a question: one that is asked again after an undo is another one. */
  asked(key: string): string
}

interface Scope {
  /** Under keys of this branch, in order. */
  readonly entries: JournalLine[]
  cursor: number
  /** What was asked for beyond the record. */
  readonly seen: KeySet
  /** The keys of the record, once the first new step begins: until then nothing else can have been asked for. */
  recorded: ReadonlySet<string> | undefined
  busyWith: string | undefined
}

/**
 * Positional engines number steps by call order, so calls that race or come in another order than the first
 * time break them. Here keys would hide that; so order, doubles and overlaps are refused just the same.
 */
export function openReplay(lines: readonly JournalLine[]): Replay {
  const undos = countUndos(lines)
  const { scopes, children } = indexLines(undos === 0 ? lines : standingLines(lines))
  const messageIds = idsOfMessages(lines)
  const scopeOf = (name: string): Scope => scopeNamed(scopes, name)
  return {
    messageIds,
    asked: (key) => (undos === 0 ? key : `${key}~${undos}`),
    enter(name, key, written) {
      const scope = scopeOf(name)
      const entry = scope.entries[scope.cursor]
      if (entry) {
        const recorded = keyOf(entry, name)
        // Most keys are written as they are: only another one has to be looked at closely.
        if (recorded !== key && recorded !== written(key)) throw refusal(scope, written(key), name)
        scope.cursor += 1
        return { type: 'recorded', value: valueOf(entry) }
      }
      leaveTheRecord(scope, name)
      claim(scope, written(key))
      if (scope.busyWith !== undefined) {
        throw new RefusedStepError(
          `'${key}' began while '${scope.busyWith}' was under way; use child for branches`,
        )
      }
      scope.busyWith = key
      return { type: 'new', leave: () => (scope.busyWith = undefined) }
    },
    child(name, key) {
      claim(scopeOf(name), key)
      const full = `${name}${key}`
      const value = children.get(full)
      return value === undefined ? { type: 'new', leave: () => undefined } : { type: 'recorded', value }
    },
  }
}

function openScope(): Scope {
  return { entries: [], cursor: 0, seen: openKeySet(), recorded: undefined, busyWith: undefined }
}

function scopeNamed(scopes: Map<string, Scope>, name: string): Scope {
  const known = scopes.get(name)
  if (known) return known
  const fresh = openScope()
  scopes.set(name, fresh)
  return fresh
}

function leaveTheRecord(scope: Scope, name: string): void {
  // Texts that are there anyway: ten times as fast as to put each into the other set.
  scope.recorded ??= new Set(scope.entries.map((entry) => keyOf(entry, name)))
}

function claim(scope: Scope, key: string): void {
  if (key.includes('>')) throw new RefusedStepError(`the key '${key}' holds '>', which separates branches`)
  if (scope.recorded?.has(key) === true || !scope.seen.add(key))
    throw new RefusedStepError(`two steps have the key '${key}'`)
}

/** A key that was asked for already is the caller's mistake; any other tells of another version or workflow. */
function refusal(scope: Scope, key: string, name: string): Error {
  const keys = scope.entries.slice(0, scope.cursor + 1).map((entry) => keyOf(entry, name))
  const isTwice = keys.indexOf(key) !== -1
  return isTwice ? new RefusedStepError(`two steps have the key '${key}'`) : diverged(key, keys.at(-1) ?? '')
}

/** The key of a line within its branch. */
function keyOf({ data }: JournalLine, branch: string): string {
  const key = textOf(data['key'])
  return branch === '' ? key : key.slice(branch.length)
}

function valueOf({ type, data }: JournalLine): Json {
  return type === 'checkpoint' ? (data['value'] ?? null) : null
}

function indexLines(lines: readonly JournalLine[]) {
  const scopes = new Map<string, Scope>()
  const children = new Map<string, Json>()
  const top = scopeNamed(scopes, '')
  for (const line of lines) {
    const { key, child } = line.data
    if (typeof key !== 'string') continue
    if (child === true) {
      children.set(key, valueOf(line))
      continue
    }
    const cut = key.lastIndexOf('>') + 1
    const scope = cut === 0 ? top : scopeNamed(scopes, key.slice(0, cut))
    scope.entries.push(line)
  }
  return { scopes, children }
}

/** Also of those that were undone: what was said once is not said again. */
function idsOfMessages(lines: readonly JournalLine[]): Set<string> {
  return new Set(
    lines.filter(isMessage).map(({ data }) => textOf(isJsonObject(data['value']) ? data['value']['id'] : '')),
  )
}

function isMessage({ type, data }: JournalLine): boolean {
  const { value } = data
  if (type !== 'checkpoint' || !isJsonObject(value)) return false
  return typeof value['verb'] === 'string' && typeof value['id'] === 'string'
}

function diverged(asked: string, recorded: string): FailureError {
  return new FailureError({
    code: 'journal.diverged',
    message: `The journal says that '${recorded}' came next, but the run asks for '${asked}'.`,
    next: 'Resume with the version of Baton that started the run (baton show <run> names it), or start the task anew.',
    exitCode: exitCodes.failed,
  })
}
