/** How one command of a check ended. */
export type CheckReport = {
  readonly name: string
  readonly command: string
  readonly optional: boolean
  /** Absent where the command could not be run at all. */
  readonly exit_code?: number
  readonly label: string
  readonly log: string
  readonly tail: string
  /** All that it printed, or its beginning and its end. */
  readonly output: string
  readonly reason?: string
}
