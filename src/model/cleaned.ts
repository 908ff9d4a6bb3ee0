/** What was done with a run, or would be. */
export type Cleaned =
  | {
      readonly type: 'cleaned'
      /** Paths that are gone. */
      readonly removed: readonly string[]
      readonly bytesFreed: number
      readonly snapshot?: number
      readonly bytesBeside: number
      /** Commands that bring it back, to be typed in the repository. */
      readonly back: readonly string[]
      readonly left?: Leftover
    }
  | {
      readonly type: 'kept'
      readonly reason: string
      /** What to do about it, where something has failed. */
      readonly next?: string
    }
  | { readonly type: 'nothing' }

/** What the system did not let go. */
export interface Leftover {
  readonly path: string
  readonly why: string
}
