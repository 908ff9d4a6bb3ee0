import { dirname, join } from 'node:path'
import { captureCommand } from '../platform/capture.ts'
import { ensureDirectory, fillFolder } from '../platform/files.ts'
import { writeFile } from '../platform/quick-files.ts'
import { succeeded } from './host-git.ts'
import type { Person } from './user-settings.ts'

export interface FirstCommit {
  readonly message: string
  readonly author: Person
  readonly files: Readonly<Record<string, string>>
}

/** A small repository of its own, untouched by the user's git configuration. */
export async function makeRepository(dir: string, commits: readonly FirstCommit[]): Promise<void> {
  await fillFolder(dir, () => commitAll(dir, commits))
}

async function commitAll(dir: string, commits: readonly FirstCommit[]): Promise<void> {
  await inside(dir, ['init', '-q', '-b', 'main'])
  await inside(dir, ['config', 'user.name', 'You'])
  await inside(dir, ['config', 'user.email', 'you@example.invalid'])
  for (const commit of commits) {
    for (const [path, text] of Object.entries(commit.files)) {
      await ensureDirectory(dirname(join(dir, path)))
      await writeFile(join(dir, path), text)
    }
    const { name, email } = commit.author
    await inside(dir, ['add', '-A'])
    await inside(dir, [
      '-c',
      `user.name=${name}`,
      '-c',
      `user.email=${email}`,
      'commit',
      '-q',
      '-m',
      commit.message,
    ])
  }
}

async function inside(dir: string, args: readonly string[]): Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
  }
  succeeded(args, await captureCommand(['git', ...args], { cwd: dir, env }))
}
