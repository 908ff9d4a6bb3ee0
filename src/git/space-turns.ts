// Whose turn it is in a git directory of ours. Almost always nobody else's: only a look that was begun before it was
// asked for works there without being waited for, and whatever comes next lets it end first.
const underWay = new Map<string, Promise<unknown>>()
/** Directories in which nothing was done since a look ahead was begun. */
const untouched = new Set<string>()

/** For every command in an agent's space but those of a look ahead. */
export async function takeTurn(gitDir: string): Promise<void> {
  untouched.delete(gitDir)
  await underWay.get(gitDir)
}

export function goAhead(gitDir: string, work: Promise<unknown>): void {
  untouched.add(gitDir)
  underWay.set(gitDir, work)
  void forget(gitDir, work)
}

async function forget(gitDir: string, work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work])
  if (underWay.get(gitDir) === work) underWay.delete(gitDir)
}

/** Before rooms are closed and locks are given back: nothing may work on unseen. */
export async function looksEnded(): Promise<void> {
  await Promise.allSettled(underWay.values())
}

/** Whether that is so since the last `goAhead`. */
export function isUntouched(gitDir: string): boolean {
  return untouched.has(gitDir)
}
