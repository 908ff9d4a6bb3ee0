import { git, gitText } from './host-git.ts'
import { resolveCommit, type Repository } from './repository.ts'

/** One of `refs/baton/<run>/<n>`: a commit that was brought in, or what was kept before something was put back. */
export interface KeptSnapshot {
  readonly number: number
  readonly ref: string
  readonly commit: string
  readonly tree: string
  /** ISO 8601. */
  readonly date: string
  readonly subject: string
  /** The visit that it was made in, as its trailer says; empty for a commit of an agent or a person. */
  readonly step: string
  /** How many files are not as on the task branch; undefined where that branch is gone. */
  readonly changed?: number
}

const fields = [
  ...['refname', 'objectname', 'tree', 'committerdate:iso-strict', 'contents:subject'],
  // With a separator its last newline is left out: one line for each ref.
  'contents:trailers:key=Baton-Step,valueonly,separator=%2C',
]

/** Oldest first. */
export async function listSnapshots(
  repo: Repository,
  { run, branch }: { readonly run: string; readonly branch: string },
): Promise<KeptSnapshot[]> {
  const { gitDir } = repo
  const format = fields.map((field) => `%(${field})`).join('%00')
  const text = await gitText(['for-each-ref', `--format=${format}`, `refs/baton/${run}/`], { gitDir })
  const snapshots = text.split('\n').flatMap(parseSnapshot)
  const tip = branch === '' ? undefined : await resolveCommit(repo, `refs/heads/${branch}`)
  const counts = tip === undefined ? [] : await countChanged(repo, tip, snapshots)
  return snapshots
    .map((one, index) => ({ ...one, ...counted(counts[index]) }))
    .toSorted((a, b) => a.number - b.number)
}

function parseSnapshot(line: string): KeptSnapshot[] {
  const [ref = '', commit = '', tree = '', date = '', subject = '', step = ''] = line.split('\0')
  const number = /\/(\d+)$/.exec(ref)?.[1]
  return number === undefined
    ? []
    : [{ number: Number(number), ref, commit, tree, date, subject, step: step.trim() }]
}

function counted(changed: number | undefined): { readonly changed?: number } {
  return changed === undefined ? {} : { changed }
}

/** One process for all of them: git repeats each pair of trees, then lists what differs. */
async function countChanged(
  { gitDir }: Repository,
  tip: string,
  snapshots: readonly KeptSnapshot[],
): Promise<number[]> {
  if (snapshots.length === 0) return []
  const tipTree = await gitText(['rev-parse', `${tip}^{tree}`], { gitDir })
  const input = snapshots.map(({ tree }) => `${tree} ${tipTree}\n`).join('')
  const { stdout } = await git(['diff-tree', '--stdin', '-r', '--raw', '--no-renames'], { gitDir, input })
  const counts: number[] = []
  for (const line of stdout.toString('latin1').split('\n')) {
    if (line.startsWith(':')) counts.push((counts.pop() ?? 0) + 1)
    else if (line !== '') counts.push(0)
  }
  return counts
}
