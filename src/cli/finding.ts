/** One thing that a run needs, as it was found here. */
export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly says: string
  /** What to type or do where it is not ok. */
  readonly mend?: string
  /** What `--fix` may do: nothing that anybody could miss. Gives what was done. */
  readonly fix?: () => Promise<string>
}
