// Everything in the worktree that git can store, ignored files aside, into the engine's index.
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Captured } from '../platform/capture.ts'
import { judgeAdd } from './add-verdict.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { takeByteForByte } from './byte-for-byte.ts'
import { firstComplaint, gitText } from './host-git.ts'
import { onWorktree } from './on-worktree.ts'
import { uncoverSubmodules } from './submodule-folders.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** One for each level of nested repositories and for each file that cannot be converted. */
const mostRounds = 100

/**
 * `add -A` alone does not do it: a nested repository stops it, and so does a name that git does not store or a file
 * that is not in the encoding its attributes promise. Each such obstacle is dealt with, then it is tried again.
 */
export async function addAll(task: TaskWorkspace): Promise<void> {
  await uncoverSubmodules(task)
  let links: readonly string[] = []
  for (let round = 1; ; round++) {
    const result = await add(task, links)
    const verdict = judgeAdd(result)
    if (verdict.type === 'complete') return
    if (verdict.type === 'failed' || round === mostRounds) throw unreadable(task, result)
    if (verdict.type === 'unconvertible') await takeByteForByte(task, [verdict.path])
    else links = await unfoldNested(task)
  }
}

/** Git cannot start a program here: it fails where it wanted to look into a nested repository. */
async function add(task: TaskWorkspace, links: readonly string[]): Promise<Captured> {
  const options = { ...onWorktree(task), allowFailure: true }
  if (links.length === 0) return gitInAgentSpace(addEverything, options)
  const input = paths(['.', ...links.map((path) => `:(exclude,literal)${path}`)])
  return gitInAgentSpace([...addEverything, ...fromInput], { ...options, input })
}

/** Outside a sparse checkout too: what an agent writes there is work like any other. */
export const addEverything = ['add', '-A', '--sparse', '--ignore-errors']

const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

/** Names are handled as bytes, one character each: they need not be UTF-8. */
function paths(list: readonly string[]): Buffer {
  return Buffer.from(list.join('\0'), 'latin1')
}

/**
 * Links that the task's own history has stay as they are, and are named to be left alone. Every other nested
 * repository is never entered: its files count as files of the worktree. For that, each gets a seed, an entry of a
 * file that does not exist: git then takes the folder for one of its own, and forgets the seed as it adds the rest.
 */
async function unfoldNested(task: TaskWorkspace): Promise<string[]> {
  const before = await nestedRepositories(task)
  const tip = await gitText(['rev-parse', `refs/heads/${task.branch}`], { gitDir: task.repo.gitDir })
  if (before.links.length > 0) {
    await gitInAgentSpace(['reset', '-q', '--no-refresh', ...fromInput, tip], {
      ...onWorktree(task),
      input: paths(before.links.map((path) => `:(literal)${path}`)),
    })
  }
  const { links, folders } = await nestedRepositories(task)
  const seeds = folders.map((path) => `100644 ${'1'.repeat(tip.length)} 0\t${path}/.baton-seed\0`)
  await gitInAgentSpace(['update-index', '-z', '--index-info'], {
    ...onWorktree(task),
    input: Buffer.from(seeds.join(''), 'latin1'),
  })
  return [...links]
}

interface Nested {
  /** In the index, as links to a commit. */
  readonly links: readonly string[]
  /** Not in the index. */
  readonly folders: readonly string[]
}

async function nestedRepositories(task: TaskWorkspace): Promise<Nested> {
  const args = ['ls-files', '-t', '-s', '-o', '-z', '--exclude-standard']
  const { stdout } = await gitInAgentSpace(args, onWorktree(task))
  const links: string[] = []
  const folders: string[] = []
  for (const line of stdout.toString('latin1').split('\0')) {
    if (line.startsWith('? ') && line.endsWith('/')) folders.push(line.slice(2, -1))
    else if (/^[^?] 160000 /.test(line)) links.push(line.slice(line.indexOf('\t') + 1))
  }
  return { links, folders }
}

function unreadable(task: TaskWorkspace, result: Captured): FailureError {
  return new FailureError({
    code: 'worktree.unreadable',
    message: `Git cannot record what is in ${task.worktree}: ${firstComplaint(result)}`,
    next: `Put that right there, then: baton resume ${task.run}`,
    exitCode: exitCodes.waiting,
  })
}
