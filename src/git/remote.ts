import { discoveryGit, firstComplaint } from './host-git.ts'
import type { Captured } from '../platform/capture.ts'
import { isAncestor } from './facts.ts'
import { resolveCommit } from './repository.ts'
import type { Repository } from './repository.ts'

/** The user's own way to a remote: his credentials, his proxies, his keys; no hooks. */
export interface RemoteGit {
  readonly repo: Repository
  readonly remote: string
  readonly env: Readonly<NodeJS.ProcessEnv>
}

const patienceMs = 10 * 60_000

/** Undefined where there is no such remote. */
export async function remoteUrl({ repo, remote, env }: RemoteGit): Promise<string | undefined> {
  const { code, stdout } = await discoveryGit(['remote', 'get-url', '--', remote], { cwd: repo.root, env })
  return code === 0 ? stdout.toString().trim() : undefined
}

export type RemoteAnswer<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly why: string }

/** What a branch is at over there; '' where there is none. */
async function remoteTip(git: RemoteGit, branch: string): Promise<RemoteAnswer<string>> {
  const answer = await ask(git, ['ls-remote', '--exit-code', '--', git.remote, `refs/heads/${branch}`])
  if (answer.code === 2) return { type: 'done', value: '' }
  if (answer.code !== 0) return { type: 'failed', why: complaint(answer) }
  return { type: 'done', value: answer.stdout.toString().split('\t', 1)[0] ?? '' }
}

/** Brings a branch of the remote into a ref of the run's own; the user's remote-tracking branches stay as they are. */
export async function fetchBranch(
  git: RemoteGit,
  { branch, into }: { readonly branch: string; readonly into: string },
): Promise<RemoteAnswer<string>> {
  const flags = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--recurse-submodules=no',
    '--no-auto-gc',
    '--refmap=',
  ]
  const answer = await ask(git, ['fetch', ...flags, '--', git.remote, `+refs/heads/${branch}:${into}`])
  if (answer.code !== 0) return { type: 'failed', why: complaint(answer) }
  const { stdout } = await discoveryGit(['rev-parse', '--verify', into], { cwd: git.repo.root, env: git.env })
  return { type: 'done', value: stdout.toString().trim() }
}

export type Pushed =
  | { readonly type: 'pushed' }
  /** Somebody else's commit is there: it is not ours to replace. */
  | { readonly type: 'moved'; readonly at: string }
  | { readonly type: 'failed'; readonly why: string }

export interface Push {
  readonly tip: string
  readonly branch: string
  /** Whether a commit that the new one contains is known to be the task's own. */
  readonly isOurs: (at: string) => Promise<boolean>
}

/**
 * One branch, by name, compare-and-swap: it is moved only from where the task has it, and only forward. The lease
 * names the commit; that the new one contains it is asked here, so that nothing is ever forced.
 */
export async function pushBranch(git: RemoteGit, { tip, branch, isOurs }: Push): Promise<Pushed> {
  const before = await remoteTip(git, branch)
  if (before.type === 'failed') return before
  const at = before.value
  if (at === tip) return { type: 'pushed' }
  if (at !== '' && !((await contains(git.repo, tip, at)) && (await isOurs(at)))) return { type: 'moved', at }
  const answer = await ask(git, [
    ...[
      '-c',
      'push.followTags=false',
      '-c',
      'push.recurseSubmodules=no',
      'push',
      '--quiet',
      '--no-follow-tags',
    ],
    ...[`--force-with-lease=refs/heads/${branch}:${at}`, '--', git.remote, `${tip}:refs/heads/${branch}`],
  ])
  return answer.code === 0 ? { type: 'pushed' } : afterRefusal(git, { tip, branch, at }, answer)
}

/** A commit that this clone has never seen is in nothing of it. */
async function contains(repo: Repository, tip: string, at: string): Promise<boolean> {
  return (await resolveCommit(repo, at)) !== undefined && isAncestor(repo, at, tip)
}

/** The answer may have been lost after the push was done. */
async function afterRefusal(
  git: RemoteGit,
  { tip, branch, at }: { readonly tip: string; readonly branch: string; readonly at: string },
  answer: Captured,
): Promise<Pushed> {
  const after = await remoteTip(git, branch)
  if (after.type === 'failed' || after.value === at) return { type: 'failed', why: complaint(answer) }
  return after.value === tip ? { type: 'pushed' } : { type: 'moved', at: after.value }
}

function ask({ repo, env }: RemoteGit, args: readonly string[]): Promise<Captured> {
  return discoveryGit(args, { cwd: repo.root, env, timeoutMs: patienceMs })
}

/** Without the address: it may hold a password. What the other side said stands behind "remote:". */
function complaint(answer: Captured): string {
  const rejected = answer.stderr.split('\n').find((line) => /^\s*! \[/.test(line))
  const said = answer.stderr
    .split('\n')
    .find((line) => line.startsWith('remote: ') && /\S/.test(line.slice(8)))
  const why = rejected?.replace(/^\s*! /, '').replaceAll(/\s+/g, ' ') ?? firstComplaint(answer)
  const whole = said === undefined ? why : `${why} (${said.slice(8).trim()})`
  return whole.replaceAll(/\b([a-z+]+:\/\/)[^@/\s']*@/g, '$1')
}
