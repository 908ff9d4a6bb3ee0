/**
 * One thing that an agent, or a test that an agent wrote, may try. The script is run by /bin/sh in the worktree with
 * $MAIN, $WT, $OTHER (another task's worktree), $PERSON (the home), $OUT (a folder outside), $PORT, $DECOY (a process
 * outside), $SOCK. It has succeeded if anything outside of the worktree is another than before, if it printed a secret
 * of the outside, if the engine's own git ran something of it, or if what `leaves` names is there.
 */
export interface Attack {
  readonly name: string
  readonly script: string
  /** Works without protection only for root. */
  readonly rootOnly?: boolean
  /** Works only where the person's own tools look into the worktree afterwards. */
  readonly needsHost?: boolean
  /** A word in the command line of a process that must not be alive afterwards. */
  readonly daemon?: string
  /** Run with a terminal, as from a person's shell. */
  readonly terminal?: boolean
  /** Printed only where a bomb went off. */
  readonly bomb?: string
}

export type AttackClass = Readonly<Record<string, string>>

export function attacksOf(group: string, scripts: AttackClass, more: Partial<Attack> = {}): Attack[] {
  return Object.entries(scripts).map(([name, script]) => ({ name: `${group}: ${name}`, script, ...more }))
}
