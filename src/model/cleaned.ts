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
    }
  | { readonly type: 'kept'; readonly reason: string }
  | { readonly type: 'nothing' }
