import type { Checks, Comment, PullRequest } from './forge.ts'

/** What is seen at one look at a pull request. */
export interface Looked {
  readonly pull: Pick<PullRequest, 'number' | 'state' | 'commit'>
  readonly comments: readonly Comment[]
  readonly checks: Checks
}

/** What earlier rounds have been told, and how many there were. */
export interface Rounds {
  readonly heard: ReadonlySet<string>
  readonly count: number
  readonly limit: number
  /** A run that has begun on it and is not over, in words. */
  readonly busy?: string
}

export type NextForRequest =
  | { readonly type: 'merged' | 'closed' }
  | { readonly type: 'wait'; readonly why: string }
  /** Something is to be done, and there have been enough rounds. */
  | { readonly type: 'spent'; readonly why: string }
  | {
      readonly type: 'rework'
      readonly comments: readonly Comment[]
      readonly failures: Checks['failures']
      /** Names for what this round is told, so that no other is told the same. */
      readonly heard: readonly string[]
    }

/** What a look at a pull request asks for. Pure. */
export function nextForRequest({ pull, comments, checks }: Looked, rounds: Rounds): NextForRequest {
  if (pull.state !== 'open') return { type: pull.state }
  if (rounds.busy !== undefined) return { type: 'wait', why: rounds.busy }
  // Half of what is wrong would make half a repair.
  if (checks.state === 'pending') return { type: 'wait', why: 'its checks are running' }
  const fresh = comments.filter(({ id }) => !rounds.heard.has(id))
  const failed = `checks@${pull.commit}`
  const failures = checks.state === 'failed' && !rounds.heard.has(failed) ? checks.failures : []
  const news = wordsFor(fresh.length, failures.length)
  if (news === '') return { type: 'wait', why: quietWords[checks.state] }
  if (rounds.count >= rounds.limit)
    return { type: 'spent', why: `${news}, after ${rounds.count} rounds of rework` }
  return {
    type: 'rework',
    ...{ comments: fresh, failures },
    heard: [...fresh.map(({ id }) => id), ...(failures.length > 0 ? [failed] : [])],
  }
}

const quietWords: Readonly<Record<Checks['state'], string>> = {
  none: 'it has no checks, and nothing new was said',
  pending: 'its checks are running',
  passed: 'its checks have passed, and nothing new was said',
  failed: 'its checks have failed, which a round has been told already',
}

function wordsFor(comments: number, failures: number): string {
  const said = [counted(comments, 'new comment'), counted(failures, 'failed check')]
  return said.filter((one) => one !== '').join(' and ')
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`
}
