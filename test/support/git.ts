// Real repositories in temporary folders, the same on every machine: no user configuration, one identity.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { discoverRepository, type Repository } from '../../src/git/repository.ts'
import { createTaskWorkspace, type TaskSpec, type TaskWorkspace } from '../../src/git/task-workspace.ts'

const execute = promisify(execFile)

export const testPerson = { name: 'Ada Tester', email: 'ada@example.org' }

/** The whole environment of git in tests; fits `discoverRepository` too. */
export const gitEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: testPerson.name,
  GIT_AUTHOR_EMAIL: testPerson.email,
  GIT_COMMITTER_NAME: testPerson.name,
  GIT_COMMITTER_EMAIL: testPerson.email,
}

export type Files = Readonly<Record<string, string>>

export interface RepositoryOptions {
  readonly objectFormat?: 'sha1' | 'sha256'
  /** Name of its folder. */
  readonly name?: string
}

/** One commit on branch main, in a folder of its own with room beside it. Removed after the test file. */
export async function makeRepository(
  files: Files = { 'README.md': 'hello\n' },
  { objectFormat = 'sha1', name = 'project' }: RepositoryOptions = {},
): Promise<string> {
  const root = join(await makeFolder(), name)
  await mkdir(root)
  await gitIn(root, 'init', '--quiet', '--initial-branch=main', `--object-format=${objectFormat}`)
  await gitIn(root, 'config', 'user.name', testPerson.name)
  await gitIn(root, 'config', 'user.email', testPerson.email)
  await writeFiles(root, files)
  await commitAll(root, 'first commit')
  return root
}

export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'baton-git-')))
  folders.push(folder)
  return folder
}

export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** Returns the new commit's id. */
export async function commitAll(root: string, message: string): Promise<string> {
  await gitIn(root, 'add', '-A')
  await gitIn(root, 'commit', '--quiet', '--allow-empty', '-m', message)
  return gitIn(root, 'rev-parse', 'HEAD')
}

/** What git prints, without the last newline; fails if git does. */
export async function gitIn(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', ['-C', root, ...args], { env: gitEnvironment, maxBuffer: 2 ** 26 })
  return stdout.trimEnd()
}

export interface TestTask {
  readonly root: string
  readonly repo: Repository
  readonly spec: TaskSpec
  readonly task: TaskWorkspace
  /** The commit that the task started from. */
  readonly start: string
}

/** A repository with one task: run r1, branch task/1-demo, state under .baton. */
export async function makeTask(files?: Files, options?: RepositoryOptions): Promise<TestTask> {
  const root = await makeRepository(files, options)
  return startTask(root)
}

export async function startTask(root: string): Promise<TestTask> {
  const repo = await discoverRepository(root, gitEnvironment)
  const start = await gitIn(root, 'rev-parse', 'HEAD')
  const spec = taskSpec(root, start)
  return { root, repo, spec, start, task: await createTaskWorkspace(repo, spec) }
}

export function taskSpec(root: string, start: string): TaskSpec {
  return {
    run: 'r1',
    branch: 'task/1-demo',
    worktree: join(dirname(root), '.worktrees', '1-demo'),
    start,
    stateDir: join(root, '.baton', 'runs', 'r1', 'git'),
    excludes: ['/.baton/'],
  }
}

const folders: string[] = []

afterAll(async () => {
  // Tried again where a process that a test has killed was about to write.
  const options = { recursive: true, force: true, maxRetries: 10 }
  await Promise.all(folders.splice(0).map((folder) => rm(folder, options)))
})
