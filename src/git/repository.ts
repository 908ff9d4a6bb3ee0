import { join, resolve } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import type { Captured } from '../platform/capture.ts'
import { realpath } from '../platform/quick-files.ts'
import { together } from '../platform/together.ts'
import { discoveryGit, firstComplaint, git, gitText, succeeded, type DiscoveryOptions } from './host-git.ts'
import { readUserSettings, type UserSettings } from './user-settings.ts'

type Head =
  | { readonly type: 'branch'; readonly name: string; readonly commit: string }
  | { readonly type: 'detached'; readonly commit: string }
  | { readonly type: 'unborn'; readonly name: string }

export interface Repository extends UserSettings {
  /** Top of the worktree that the user stands in. */
  readonly root: string
  /** The common git directory of all worktrees, absolute, without symbolic links. */
  readonly gitDir: string
  readonly objectsDir: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly head: Head
}

/** Discovered once, with the user's own configuration; afterwards git is only called with explicit directories. */
export async function discoverRepository(
  cwd: string,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<Repository> {
  const place = { cwd, env }
  const [version, layout, settings] = await Promise.all([
    discoveryGit(['version'], place),
    discoveryGit(['rev-parse', ...layoutQuestions], place),
    discoveryGit(['config', '--list', '-z'], place),
  ])
  requireVersion(version.stdout.toString())
  requireRefsInFiles(cwd, { settings, layout })
  const [isBare, commonDir, objectFormat, root, commit, fullName] = await answers(layout, place)
  if (isBare === 'true') throw bareRepository(cwd)
  if (commonDir === undefined || root === undefined || root === '') throw noRepository(place, layout)
  const gitDir = await realpath(commonDir)
  return {
    root: await realpath(root),
    gitDir,
    objectsDir: join(gitDir, 'objects'),
    objectFormat: objectFormat === 'sha256' ? 'sha256' : 'sha1',
    head: fullName ? headOf(fullName, commit ?? '') : await unbornHead(place),
    ...(await readUserSettings(settings.stdout.toString(), env)),
  }
}

/** Answered line by line; in a repository without commits git stops at the first HEAD. */
const layoutQuestions = [
  '--is-bare-repository',
  '--path-format=absolute',
  '--git-common-dir',
  '--show-object-format',
  '--show-toplevel',
  'HEAD',
  '--symbolic-full-name',
  'HEAD',
]

/** One answer for each question. A path with a line break in it spreads over several lines: then each is asked alone. */
async function answers(layout: Captured, place: DiscoveryOptions): Promise<string[]> {
  const lines = layout.stdout.toString().split('\n')
  if (layout.code !== 0 || lines.length === linesOfLayout) return lines
  const format = '--path-format=absolute'
  const alone = [['--is-bare-repository'], [format, '--git-common-dir'], ['--show-object-format']]
  const more = [['--show-toplevel'], ['HEAD'], ['--symbolic-full-name', 'HEAD']]
  const asked = [...alone, ...more].map((question) => discoveryGit(['rev-parse', ...question], place))
  return (await Promise.all(asked)).map(({ stdout }) => stdout.toString().replace(/\n$/, ''))
}

const linesOfLayout = 7

function headOf(fullName: string, commit: string): Head {
  if (!fullName.startsWith('refs/heads/')) return { type: 'detached', commit }
  return { type: 'branch', name: fullName.slice('refs/heads/'.length), commit }
}

async function unbornHead(place: DiscoveryOptions): Promise<Head> {
  const { stdout } = await discoveryGit(['symbolic-ref', '--short', 'HEAD'], place)
  return { type: 'unborn', name: stdout.toString().trim() }
}

const oldestVersion = [2, 38] as const

function requireVersion(text: string): void {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text)?.map(Number) ?? []
  if (major === undefined || minor === undefined) return
  if (major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1])) return
  throw new FailureError({
    code: 'git.version',
    message: `git ${major}.${minor} is too old; ${oldestVersion.join('.')} or newer is needed`,
    next: 'Upgrade git: https://git-scm.com/downloads',
  })
}

/** Runs read the HEAD and the reflog of their worktrees as files, so that nothing a person did there is lost. */
function requireRefsInFiles(
  cwd: string,
  { settings, layout }: { readonly settings: Captured; readonly layout: Captured },
): void {
  const [, storage = 'files'] =
    /(?:^|\0)extensions\.refstorage\n([^\0]*)/.exec(settings.stdout.toString()) ?? []
  // A git that does not know of it says no more than its name.
  const isUnknown = layout.code !== 0 && /^\s*refstorage$/m.test(layout.stderr)
  if (storage === 'files' && !isUnknown) return
  throw new FailureError({
    code: 'repository.ref_storage',
    message: `The repository keeps its refs in tables, and Baton needs them as files: ${cwd}`,
    next: 'git refs migrate --ref-format=files  (with git 2.46 or newer)',
  })
}

function bareRepository(cwd: string): FailureError {
  return new FailureError({
    code: 'repository.bare',
    message: `A bare repository has no files to work on: ${cwd}`,
    next: `git clone ${shellWord(cwd)} <folder> && cd <folder>`,
  })
}

function noRepository({ cwd, env }: DiscoveryOptions, answer: Captured): FailureError {
  if (answer.stderr.includes('dubious ownership')) {
    return new FailureError({
      code: 'repository.ownership',
      message: `The repository belongs to another user: ${cwd}`,
      next: `Run as its owner, or: git config --global --add safe.directory ${shellWord(cwd)}`,
    })
  }
  if (/not a git repository|must be run in a work tree/.test(answer.stderr)) {
    return new FailureError({
      code: 'repository.none',
      message: `Not inside a git repository: ${cwd}`,
      next: holdsHome(cwd, env)
        ? `cd into a repository  (a new one: ${newProject})`
        : `git init && ${firstCommit}  (or cd into a repository)`,
    })
  }
  return new FailureError({
    code: 'git.failed',
    message: `git cannot read the repository at ${cwd}: ${firstComplaint(answer)}`,
    next: 'git status',
  })
}

/** Also where there is nothing to add yet. */
const firstCommit = "git add -A && git commit --allow-empty -m 'first commit'"

const newProject = `git init <folder> && cd <folder> && ${firstCommit}`

/** Nobody wants all of that in a repository. */
function holdsHome(cwd: string, env: DiscoveryOptions['env']): boolean {
  const home = env['HOME'] ?? ''
  return `${resolve(home)}/`.startsWith(`${resolve(cwd)}/`.replace('//', '/')) && home !== ''
}

export async function resolveCommit(repo: Repository, revision: string): Promise<string | undefined> {
  // The common directory's HEAD is the main worktree's, which need not be the one the user stands in.
  if (revision === 'HEAD' || revision === '@')
    return repo.head.type === 'unborn' ? undefined : repo.head.commit
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const result = await git(args, { gitDir: repo.gitDir, allowFailure: true })
  // A ref that is not there is 1. Whatever else git could not do must not be taken for that: a branch seems deleted.
  if (result.code > 1 && revision.startsWith('refs/')) succeeded(args, result)
  return result.code === 0 ? result.stdout.toString().trim() : undefined
}

/** What a task starts from and is merged with before delivery. */
export interface Base {
  /** For people: main. */
  readonly name: string
  /** The full ref; undefined for a plain commit. */
  readonly ref: string | undefined
  readonly commit: string
}

/** The requested one, else the remote's default branch, else the current branch. */
export async function resolveBase(repo: Repository, requested?: string): Promise<Base> {
  if (repo.head.type === 'unborn' && requested === undefined) throw unborn(repo.root)
  if (requested !== undefined) return requestedBase(repo, requested)
  const base = (await remoteBase(repo)) ?? currentBase(repo)
  if (base !== undefined) return base
  throw new FailureError({
    code: 'base.unknown',
    message: `No branch is checked out in ${repo.root}, and no remote names a default branch`,
    next: "git switch <branch>   (or name it: 'base: <branch>' in .baton/config.yaml, or baton run --base <branch>)",
  })
}

async function requestedBase(repo: Repository, requested: string): Promise<Base> {
  const isHead = requested === 'HEAD' || requested === '@'
  const fullName = ['rev-parse', '--symbolic-full-name', requested]
  const isName = !isHead && !requested.startsWith('-')
  const [commit, asked] = await together([
    resolveCommit(repo, requested),
    isName ? git(fullName, { gitDir: repo.gitDir, allowFailure: true }) : Promise.resolve(undefined),
  ])
  if (commit === undefined) {
    throw new FailureError({
      code: 'base.missing',
      message: `There is no branch or commit named ${requested} in ${repo.root}`,
      next: 'git branch --all  (then pass one of these with --base)',
    })
  }
  const current = isHead ? currentBase(repo) : undefined
  const ref = asked && refIn(fullName, asked)
  return current ?? { name: isHead ? commit.slice(0, 12) : requested, ref, commit }
}

/** Of a branch or a tag; asked in the same moment, and judged where there is such a commit. */
function refIn(args: readonly string[], asked: Captured): string | undefined {
  const ref = succeeded(args, asked).stdout.toString().trimEnd()
  return ref.startsWith('refs/') ? ref : undefined
}

async function remoteBase(repo: Repository): Promise<Base | undefined> {
  const format = '%(refname)%00%(symref)%00%(objectname)'
  const text = await gitText(['for-each-ref', `--format=${format}`, 'refs/remotes/*/HEAD'], {
    gitDir: repo.gitDir,
  })
  const defaults = text.split('\n').flatMap((line) => {
    const [head, ref, commit] = line.split('\0')
    return head && ref && commit ? [{ head, ref, commit }] : []
  })
  const origin = defaults.find(({ head }) => head === 'refs/remotes/origin/HEAD')
  const chosen = origin ?? (defaults.length === 1 ? defaults[0] : undefined)
  if (chosen === undefined) return undefined
  const name = chosen.ref.slice(chosen.head.length - 'HEAD'.length)
  return { name, ref: chosen.ref, commit: chosen.commit }
}

function currentBase({ head }: Repository): Base | undefined {
  if (head.type !== 'branch') return undefined
  return { name: head.name, ref: `refs/heads/${head.name}`, commit: head.commit }
}

function unborn(root: string): FailureError {
  return new FailureError({
    code: 'repository.unborn',
    message: `The repository has no commit yet: ${root}`,
    next: firstCommit,
  })
}
