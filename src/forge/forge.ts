/** Where pull requests live. One file for each kind; which one it is, only this folder knows. */
export interface Forge {
  /** For people and for the journal. */
  readonly name: string
  /** Path of the repository there: `owner/name`. */
  readonly repository: string
  protection(branch: string): Promise<Protection>
  issue(number: number): Promise<Issue>
  pullRequest(number: number): Promise<PullRequest>
  /** What people have written about it, oldest first, without what was resolved or comes from strangers. */
  comments(number: number): Promise<readonly Comment[]>
  checks(commit: string): Promise<Checks>
  /** Opens the pull request of a branch, or brings the one that is open up to date. Never a second one. */
  offer(offer: Offer): Promise<Offered>
}

export const guards = ['pull_request', 'force_push'] as const

/** What a protected branch needs: changes only through pull requests (R001-19), no forced pushes (R001-20). */
export type Guard = (typeof guards)[number]

export type Protection =
  | { readonly type: 'protected' }
  | { readonly type: 'unprotected'; readonly missing: readonly Guard[] }
  /** `isAbsent`: there is nothing that could be asked, so that nobody is kept from working. */
  | { readonly type: 'unknown'; readonly why: string; readonly isAbsent?: boolean }

export interface Issue {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly author: string
  readonly url: string
}

export interface PullRequest extends Issue {
  readonly state: 'open' | 'merged' | 'closed'
  /** The branch that it offers, and the commit that the branch was at. */
  readonly branch: string
  readonly commit: string
  /** False where the branch lies in somebody's own copy of the repository. */
  readonly isOwnBranch: boolean
  readonly base: string
}

export interface Comment {
  readonly id: string
  readonly author: string
  readonly text: string
  readonly at: string
  readonly path?: string
  readonly line?: number
}

export interface Checks {
  readonly state: 'none' | 'pending' | 'passed' | 'failed'
  readonly failures: readonly { readonly name: string; readonly url: string; readonly log: string }[]
}

export interface Offer {
  readonly branch: string
  readonly base: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
}

export interface Offered {
  readonly number: number
  readonly url: string
  readonly isNew: boolean
  /** What was asked for and could not be had: a label, a reviewer. */
  readonly notes: readonly string[]
}

type ForgeProblem =
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'sso'
  | 'missing'
  | 'archived'
  | 'rate_limited'
  | 'invalid'
  | 'broken'

/** The forge did not do what it was asked. The message names what, and never the token. */
export class ForgeError extends Error {
  readonly problem: ForgeProblem
  readonly next: string

  constructor(problem: ForgeProblem, message: string, next: string) {
    super(message)
    this.name = 'ForgeError'
    this.problem = problem
    this.next = next
  }
}
