import { setImmediate } from 'node:timers/promises'
import { together } from '../platform/together.ts'
import { judge, type Crossing, type ImportedCommit } from './gate.ts'
import { git, gitText, succeeded } from './host-git.ts'
import { dropQuarantine, receive, release } from './quarantine.ts'
import { readyIndex } from './publish-index.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface ImportRequest extends Crossing {
  /** The git directory with the new commits: the engine's or a private one. */
  readonly from: string
  /** refs/baton/<run>/<n>: names the objects in the main repository before any branch does. */
  readonly snapshot: string | Promise<string>
  /** What can be done while git brings them over. */
  readonly meanwhile?: () => Promise<void>
}

export type ImportResult =
  | { readonly type: 'imported'; readonly commits: readonly ImportedCommit[] }
  | { readonly type: 'refused'; readonly reason: string }

/** The one way of commits into the main repository, oldest first. The task branch does not move yet. */
export async function importCommits(task: TaskWorkspace, request: ImportRequest): Promise<ImportResult> {
  const { from, tip, last, base } = request
  if (tip === last) return { type: 'imported', commits: [] }
  const known = base === undefined ? [last] : [last, base]
  const [received, snapshot] = await together([
    receive(task, { from, tips: [tip], known }),
    Promise.resolve(request.snapshot),
    meanwhile(request),
  ])
  if (received.type === 'refused') return received
  const verdict = await judge(task, received.quarantine, request)
  if (verdict.type === 'refused') {
    await dropQuarantine(task)
    return verdict
  }
  const ids = verdict.commits.map(({ id }) => id)
  await release(task, received.quarantine, ids)
  await createRef(task, snapshot, tip)
  return { type: 'imported', commits: verdict.commits }
}

/** Not before git has got its orders. */
async function meanwhile({ meanwhile: work }: ImportRequest): Promise<void> {
  if (!work) return
  await setImmediate()
  await work()
}

/** Already at that commit is success: the step is being repeated. */
export async function createRef(task: TaskWorkspace, ref: string, commit: string): Promise<void> {
  const { gitDir } = task.repo
  const args = ['update-ref', '--stdin']
  const result = await git(args, { gitDir, input: `create ${ref} ${commit}\n`, allowFailure: true })
  if (result.code !== 0 && (await readRef(task, ref)) !== commit) succeeded(args, result)
}

async function readRef(task: TaskWorkspace, ref: string): Promise<string | undefined> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', ref], {
    gitDir: task.repo.gitDir,
    allowFailure: true,
  })
  return code === 0 ? stdout.toString().trim() : undefined
}

export type BranchMove =
  | { readonly type: 'done' }
  /** By somebody else, meanwhile. */
  | { readonly type: 'moved'; readonly found: string | undefined }

/** By compare-and-swap; a branch that is there already was moved before a crash. */
export async function moveBranch(
  task: TaskWorkspace,
  { from, to, onMoved }: { readonly from: string; readonly to: string; readonly onMoved?: () => void },
): Promise<BranchMove> {
  const ref = `refs/heads/${task.branch}`
  const args = ['update-ref', '--stdin']
  const input = `update ${ref} ${to} ${from}\n`
  const [moved, ready] = await Promise.allSettled([
    git(args, { gitDir: task.repo.gitDir, input, allowFailure: true }),
    readyIndex(task, { from, to }),
  ])
  if (ready.status === 'rejected') throw ready.reason
  if (moved.status === 'rejected') {
    await ready.value.drop()
    throw moved.reason
  }
  const [result, index] = [moved.value, ready.value]
  if (result.code !== 0) {
    const found = await readRef(task, ref)
    if (found !== to) await index.drop()
    if (found === from) succeeded(args, result)
    if (found !== to) return { type: 'moved', found }
  }
  onMoved?.()
  await index.publish()
  return { type: 'done' }
}

/** The next free number under refs/baton/<run>/. Listing all of them takes longer with every one: it is done once. */
export async function nextSnapshotRef(task: TaskWorkspace): Promise<string> {
  const known = highestSeen.get(task)
  const seen = known === undefined ? undefined : await takenAfter(task, known)
  const highest = seen ?? (await highestNumber(task))
  highestSeen.set(task, highest)
  return `${prefixOf(task)}${highest + 1}`
}

const highestSeen = new WeakMap<TaskWorkspace, number>()

/** Of the numbers right after one, the highest that is taken meanwhile. Undefined: more are than were looked at. */
async function takenAfter(task: TaskWorkspace, number: number): Promise<number | undefined> {
  const next = [number + 1, number + 2, number + 3]
  const input = next.map((one) => `${prefixOf(task)}${one}\n`).join('')
  const text = await gitText(['cat-file', '--batch-check'], { gitDir: task.repo.gitDir, input })
  const lines = text.split('\n')
  const last = next.findLast((_, index) => lines[index]?.endsWith(' missing') === false)
  return last === next.at(-1) ? undefined : (last ?? number)
}

async function highestNumber(task: TaskWorkspace): Promise<number> {
  const prefix = prefixOf(task)
  const names = await gitText(['for-each-ref', '--format=%(refname)', prefix], { gitDir: task.repo.gitDir })
  const numbers = names.split('\n').map((name) => Number(name.slice(prefix.length)))
  return Math.max(0, ...numbers.filter(Number.isInteger))
}

function prefixOf({ run }: TaskWorkspace): string {
  return `refs/baton/${run}/`
}
