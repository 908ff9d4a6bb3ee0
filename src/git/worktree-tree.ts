// Everything in the worktree that git can store, ignored files aside, into the engine's index, and from there a tree.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Captured } from '../platform/capture.ts'
import { judgeAdd } from './add-verdict.ts'
import { gitInAgentSpace, gitInTurn } from './agent-space.ts'
import { takeByteForByte } from './byte-for-byte.ts'
import { firstComplaint, gitText, succeeded } from './host-git.ts'
import { onWorktree } from './on-worktree.ts'
import { takeTurn } from './space-turns.ts'
import { uncoverSubmodules } from './submodule-folders.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** One for each level of nested repositories and for each file that cannot be converted. */
const mostRounds = 100

/** The worktree as it is, ignored files aside, as a tree in the engine's git directory. No agent's index is asked. */
export async function treeOf(task: TaskWorkspace): Promise<string> {
  await uncoverSubmodules(task)
  await takeTurn(task.engineDir)
  if (takesNamesForSame(task)) await add(task, [])
  const [added, tree] = await gitInTurn(addAndWrite, onWorktree(task))
  await addTheRest(task, added)
  const isSettled = judgeAdd(added).type === 'complete' && tree !== undefined
  const written = isSettled
    ? tree
    : await gitInAgentSpace(writeTree, { ...onWorktree(task), allowFailure: true })
  return succeeded(writeTree, written).stdout.toString().trim()
}

/** As `treeOf`, where what the commit tracks stays tracked: also files that were added although they are ignored. */
export async function treeUpon(task: TaskWorkspace, commit: string): Promise<string> {
  await gitInAgentSpace(['read-tree', '--reset', commit], onWorktree(task))
  return treeOf(task)
}

/**
 * Where git was told that `b` and `B` are one file (`core.ignorecase`) and they are not: a file that was renamed so is
 * taken for the old one, which is gone. Once the index has forgotten that, the new one is seen.
 */
export function takesNamesForSame({ repo, engineDir }: TaskWorkspace): boolean {
  return repo.config['core.ignorecase'] === 'true' && !existsSync(join(engineDir, 'head'))
}

/** Outside a sparse checkout too: what an agent writes there is work like any other. */
const addEverything = ['add', '-A', '--sparse', '--ignore-errors']
const writeTree = ['write-tree']

/** Says how far it has come by itself, and if that is far enough, to which tree. */
export const addAndWrite = [addEverything, writeTree] as const

/**
 * `add -A` alone does not do it: a nested repository stops it, and so does a name that git does not store or a file
 * that is not in the encoding its attributes promise. Each such obstacle is dealt with, then it is tried again.
 */
async function addTheRest(task: TaskWorkspace, added: Captured): Promise<void> {
  let result = added
  let links: readonly string[] = []
  for (let round = 1; ; round++) {
    const verdict = judgeAdd(result)
    if (verdict.type === 'complete') return
    if (verdict.type === 'failed' || round === mostRounds) throw unreadable(task, result)
    if (verdict.type === 'nested') links = await unfoldNested(task)
    else await takeByteForByte(task, [verdict.path])
    result = await add(task, links)
  }
}

/** Git cannot start a program here: it fails where it wanted to look into a nested repository. */
async function add(task: TaskWorkspace, links: readonly string[]): Promise<Captured> {
  const options = { ...onWorktree(task), allowFailure: true }
  if (links.length === 0) return gitInAgentSpace(addEverything, options)
  const input = paths(['.', ...links.map((path) => `:(exclude,literal)${path}`)])
  return gitInAgentSpace([...addEverything, ...fromInput], { ...options, input })
}

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
