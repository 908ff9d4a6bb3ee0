// Calls of git that the programs are made of, and which of those that were really made are forbidden.
import { resolve } from 'node:path'
import { within } from '../../src/firewall/scope.ts'

export const forbiddenCalls: readonly [string, ...string[]] = [
  ...(['push', 'push --force origin main', 'checkout main', 'checkout -- a.txt', 'switch other'] as const),
  ...['reset --hard', 'rebase main', 'config user.name x', 'branch -D main', 'branch other', 'tag v1'],
  ...['commit --amend', 'commit --ame', 'log --output=x', 'diff --outp=x', 'stash', 'fetch', 'merge main'],
  ...['update-ref refs/heads/main HEAD', 'symbolic-ref HEAD refs/heads/x', 'worktree add ../x', 'clean -fdx'],
  ...['-c alias.x=!sh x', '-c core.pager=sh log', '-C .. status', '--git-dir=/nowhere log', 'gc', 'init x'],
  ...['--exec-path=. status', 'remote add o u', 'filter-branch', 'reflog expire --all', 'commit --no-verify'],
]

export const harmlessCalls: readonly [string, ...string[]] = [
  ...(['status', 'log -1', 'diff', 'show HEAD', 'add a.txt', 'commit -m x', 'rev-parse HEAD'] as const),
  ...['branch --show-current', '--no-pager log', '-C . status', 'ls-files', 'status -s'],
]

/** What the stand-in for git was called with. */
export interface GitCall {
  readonly program: number
  /** Its name as it was called, if that is another than git. */
  readonly name: string
  readonly cwd: string
  readonly worktree: string
  /** Variables of git that were set, by name. */
  readonly variables: string
  readonly args: readonly string[]
}

/** Said of what really ran, word by word and without any shell: it shares nothing with how the firewall reads. */
export function isForbidden({ cwd, worktree, variables, args, name }: GitCall): boolean {
  if (variables !== '' || name.startsWith('git-')) return true
  const { folders, rest } = placesOf(args)
  const [subcommand, ...words] = rest
  if (subcommand === undefined) return false
  const isHere = within(worktree, resolve(cwd, ...folders)) !== undefined
  return !isHere || !isHarmless(subcommand, words)
}

/** Without what stands before the subcommand and does nothing but say where. */
function placesOf(args: readonly string[]): { folders: string[]; rest: readonly string[] } {
  const folders: string[] = []
  let at = 0
  for (; args[at] === '-C' || plainOptions.has(args[at] ?? ''); at++)
    if (args[at] === '-C') folders.push(args[++at] ?? '')
  return { folders, rest: args.slice(at) }
}

const plainOptions = new Set([
  ...['--no-pager', '-P', '--version', '--no-optional-locks', '--literal-pathspecs', '--no-replace-objects'],
])

function isHarmless(subcommand: string, args: readonly string[]): boolean {
  const known = Object.hasOwn(harmful, subcommand) ? harmful[subcommand] : undefined
  return known !== undefined && !args.some((word) => known.test(word))
}

const writesFile = /^(--ou?t|--out|--ext|--textc|-O)/

/** Subcommands that look or add, and the words with which they do more. */
const harmful: Readonly<Record<string, RegExp>> = {
  status: /^--no-such/,
  log: writesFile,
  diff: writesFile,
  show: writesFile,
  add: /^(-[ief]|--(for|int.*ive|pa|ed))/,
  commit: /^(--(am|no-v|au|da|fix|squ|reu|ree|c=)|-[aqvsoi]*[nCcSp])/,
  'rev-parse': /^--parseopt/,
  'ls-files': /^--no-such/,
  branch: /^(?!--show-current$|--list$|-a$|--all$)/,
  version: /^(?!--build-options$)/,
}
