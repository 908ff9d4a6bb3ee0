import { delimiter, dirname } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { captureCommand, type Captured, type PipedCommand } from '../platform/capture.ts'
import { findExecutable } from '../platform/executable.ts'

export interface GitOptions {
  readonly gitDir: string
  readonly workTree?: string
  readonly indexFile?: string
  readonly objectDir?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly maxBytes?: number
  readonly allowFailure?: boolean
  /** False: git can start no other program, not even itself in a nested repository. It fails instead. */
  readonly mayStartPrograms?: boolean
}

/** The `local` profile: no transport, no hooks, no helpers, none of the user's configuration. */
export async function git(args: readonly string[], options: GitOptions): Promise<Captured> {
  const result = await run(gitCommand(args, options))
  return options.allowFailure === true ? result : succeeded(args, result)
}

export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  return (await git(args, options)).stdout.toString().trimEnd()
}

/** The same command unstarted, for a pipe. */
export function gitCommand(args: readonly string[], options: GitOptions): PipedCommand {
  const program = findGit()
  const mayStart = options.mayStartPrograms ?? true
  const { input, maxBytes } = options
  return {
    argv: [
      program,
      ...(mayStart ? [] : [`--exec-path=${nowhere}`]),
      ...hardening,
      `--git-dir=${options.gitDir}`,
      ...(options.workTree === undefined ? [] : [`--work-tree=${options.workTree}`]),
      ...args,
    ],
    // Without a work tree git would take the current folder for one and read its .gitattributes.
    cwd: options.workTree ?? options.gitDir,
    env: {
      PATH: mayStart ? [dirname(program), '/usr/bin', '/bin'].join(delimiter) : nowhere,
      ...cleanEnvironment,
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
      ...(options.objectDir === undefined ? {} : { GIT_OBJECT_DIRECTORY: options.objectDir }),
      ...options.env,
    },
    ...(input === undefined ? {} : { input }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  }
}

export interface DiscoveryOptions {
  readonly cwd: string
  readonly env: Readonly<NodeJS.ProcessEnv>
  readonly input?: string
  readonly timeoutMs?: number
}

/**
 * The profile with the user's own configuration; hooks are off. Only for discovery, for `worktree add`, and for
 * what goes over the network.
 */
export async function discoveryGit(args: readonly string[], options: DiscoveryOptions): Promise<Captured> {
  const program = findGit()
  const env: Record<string, string> = {}
  for (const name of userVariables) {
    const value = options.env[name]
    if (value !== undefined) env[name] = value
  }
  const flags = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.fsync=all']
  return run({
    argv: [program, ...flags, ...args],
    cwd: options.cwd,
    env: { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  })
}

export function succeeded(args: readonly string[], result: Captured): Captured {
  if (result.code === 0) return result
  throw new FailureError({
    code: 'git.failed',
    message: `git ${args.join(' ')} failed: ${firstComplaint(result)}`,
    next:
      isFromTheSystem(result) || isForbidden(result)
        ? 'Put that right, then type the command again; a run that had begun goes on with: baton resume'
        : 'git fsck  (then run the same command again)',
    exitCode: exitCodes.failed,
  })
}

/** Nobody's fault in the repository: a full disk must not be taken for objects that cannot be accepted. */
export function isFromTheSystem({ stderr }: Pick<Captured, 'stderr'>): boolean {
  return /No space left on device|Disk quota exceeded|Read-only file system|File too large|Input\/output error|Too many open files/.test(
    stderr,
  )
}

/** A git directory that may not be written to has nothing wrong in it. */
function isForbidden({ stderr }: Pick<Captured, 'stderr'>): boolean {
  return /Permission denied|Operation not permitted|unable to create directory for/.test(stderr)
}

/** The line that says what went wrong; warnings and advice may stand before it. */
export function firstComplaint({ code, stderr }: Pick<Captured, 'code' | 'stderr'>): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const complaint = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines[0]
  return complaint?.replace(/^(fatal|error): /, '') ?? `exit code ${code}`
}

function run(command: PipedCommand): Promise<Captured> {
  return captureCommand(command.argv, command)
}

const nowhere = '/nonexistent'

const hardening = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.sshCommand=/bin/false',
  'core.pager=cat',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.quotePath=false',
  // A name that any file system would take for .git is no name here.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // An index is copied and put in another's place: it must not lean on a file beside it.
  'core.splitIndex=false',
  // git 2.39 by itself syncs neither loose objects nor refs.
  'core.fsync=all',
  // Other runs write refs at the same time; git's own patience is 100 ms.
  'core.filesRefLockTimeout=2000',
  'protocol.allow=never',
  'credential.helper=',
  'diff.external=',
  'diff.ignoreSubmodules=all',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.bareRepository=explicit',
  'transfer.fsckObjects=true',
  'commit.gpgSign=false',
  // An empty graft file is given below; git would advise against it before every answer.
  'advice.graftFileDeprecated=false',
].flatMap((setting) => ['-c', setting])

const cleanEnvironment = {
  HOME: nowhere,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'file',
}

/** What says who the user is and where his configuration lies; GIT_DIR and its like stay out. */
const userVariables = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'USER',
  'LOGNAME',
  'SUDO_UID',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
  // How the user's git reaches a remote.
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
]

let foundGit: string | undefined

/** Looked for once, and never beside the project: a planted node_modules/.bin/git ran under an npm script. */
export function findGit(): string {
  foundGit ??= searchGit(process.env['PATH'] ?? '')
  return foundGit
}

function searchGit(path: string): string {
  const folders = path.split(delimiter).filter((folder) => !folder.split('/').includes('node_modules'))
  const env = { PATH: ['/usr/bin', ...folders].join(delimiter) }
  const found = findExecutable('git', { cwd: '/', env })
  if (found !== undefined) return found
  throw new FailureError({
    code: 'git.missing',
    message: 'git is not installed',
    next: 'sudo apt install git  (macOS: xcode-select --install)',
  })
}
