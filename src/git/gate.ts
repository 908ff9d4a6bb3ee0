// What may cross from an agent's repository into the main one.
import { join } from 'node:path'
import { lstatIfThere } from '../platform/quick-files.ts'
import { together } from '../platform/together.ts'
import { diffTrees, isAncestorIn, type ChangedPath } from './facts.ts'
import { firstComplaint, git, type GitOptions } from './host-git.ts'
import { foreignAmong, type Quarantine } from './quarantine.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface ImportedCommit {
  readonly id: string
  readonly parents: readonly string[]
  readonly subject: string
  readonly authorEmail: string
}

export interface Crossing {
  readonly tip: string
  /** The tip at the last import. */
  readonly last: string
  /** A commit of the main repository that may have been merged. */
  readonly base?: string | undefined
}

export type Verdict =
  | { readonly type: 'passed'; readonly commits: readonly ImportedCommit[] }
  | { readonly type: 'refused'; readonly reason: string }

/** Forward only, complete, nobody else's commits, no strange links. Names and form were checked on receipt. */
export async function judge(
  task: TaskWorkspace,
  quarantine: Quarantine,
  crossing: Crossing,
): Promise<Verdict> {
  const { tip, last } = crossing
  // Where the history is not sound, it does not matter that what differs cannot be told.
  const comparing = diffTrees(quarantine.view, last, tip)
  const [history] = await together([readHistory(quarantine, crossing), comparing.catch(() => undefined)])
  if ('complaint' in history) return refused(history.complaint)
  const { commits, boundary } = history
  if (!boundary.has(last) && !(await isAncestorIn(quarantine.view, last, tip))) {
    return refused(`the history was rewritten: ${short(tip)} does not follow ${short(last)}`)
  }
  const foreign = await foreignAmong(
    task,
    quarantine,
    commits.map(({ id }) => id),
  )
  if (foreign.length > 0)
    return refused(`it holds commits of another branch: ${foreign.map(short).join(', ')}`)
  const changes = await comparing
  const gitlink = await strangeGitlink(task, quarantine.view, { ...crossing, changes })
  if (gitlink !== undefined) return refused(`a nested repository was committed: ${gitlink}`)
  return { type: 'passed', commits }
}

interface History {
  readonly commits: readonly ImportedCommit[]
  readonly boundary: ReadonlySet<string>
}

/** With `--objects` git visits every new object, and fails if one is missing. */
async function readHistory(
  quarantine: Quarantine,
  { tip, last, base }: Crossing,
): Promise<History | { readonly complaint: string }> {
  const range = [tip, `^${last}`, ...(base === undefined ? [] : [`^${base}`])]
  const format = '--format=%m%x00%H%x00%P%x00%ae%x00%s'
  const args = [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--boundary',
    '--reverse',
    format,
    ...range,
    '--',
  ]
  const result = await git(args, { ...quarantine.view, allowFailure: true, maxBytes: maxHistoryBytes })
  if (result.code !== 0) return { complaint: firstComplaint(result) }
  const commits: ImportedCommit[] = []
  const boundary = new Set<string>()
  for (const line of result.stdout.toString().split('\n')) {
    const [mark, id, parents = '', authorEmail = '', subject = ''] = line.split('\0')
    if (id === undefined) continue
    if (mark === '-') boundary.add(id)
    else commits.push({ id, parents: parents.split(' ').filter(Boolean), subject, authorEmail })
  }
  return { commits, boundary }
}

const maxHistoryBytes = 512 * 1024 * 1024

/** A nested repository's commit may cross if the base brought it or if a submodule of the main repository has it. */
async function strangeGitlink(
  task: TaskWorkspace,
  view: GitOptions,
  { changes, base, tip }: Crossing & { readonly changes: readonly ChangedPath[] },
): Promise<string | undefined> {
  const gitlinks = changes.filter(({ mode }) => mode === '160000')
  if (gitlinks.length === 0) return undefined
  const againstBase = base === undefined ? changes : await diffTrees(view, base, tip)
  const news = new Set(againstBase.map(({ path }) => path))
  for (const { path, object } of gitlinks) {
    if (news.has(path) && !(await isKnownToSubmodule(task, path, object))) return path
  }
  return undefined
}

async function isKnownToSubmodule(task: TaskWorkspace, path: string, commit: string): Promise<boolean> {
  const gitDir = join(task.repo.gitDir, 'modules', path)
  if ((await lstatIfThere(join(gitDir, 'HEAD'))) === undefined) return false
  const { code } = await git(['cat-file', '-e', `${commit}^{commit}`], { gitDir, allowFailure: true })
  return code === 0
}

function refused(reason: string): Verdict {
  return { type: 'refused', reason }
}

function short(id: string): string {
  return id.slice(0, 12)
}
