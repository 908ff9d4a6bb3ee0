/** What the process says to the shell when it ends (see docs/reference/exit-codes.md). */
export const exitCodes = {
  delivered: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  budget: 4,
  security: 5,
  quota: 75,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export interface Failure {
  /** `place.problem`, stable, for machines. */
  readonly code: string
  /** What happened, to what. One line. */
  readonly message: string
  /** What the person can type or do next. One line. */
  readonly next: string
  readonly exitCode?: ExitCode
  readonly cause?: unknown
}

/** An expected failure: printed as two lines, never as a stack. */
export class FailureError extends Error {
  readonly code: string
  readonly next: string
  readonly exitCode: ExitCode

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause })
    this.name = 'FailureError'
    this.code = failure.code
    this.next = failure.next
    this.exitCode = failure.exitCode ?? exitCodes.usage
  }
}
