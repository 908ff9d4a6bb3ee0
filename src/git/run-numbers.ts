import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { readFile } from '../platform/quick-files.ts'
import { gitText } from './host-git.ts'
import type { Repository } from './repository.ts'

/** Numbers that runs have left their refs under: never given again, so that no snapshot is overwritten. */
export async function usedRunNumbers(repo: Repository): Promise<number[]> {
  const refs = await gitText(['for-each-ref', '--format=%(refname)', 'refs/baton/', 'refs/heads/task/'], {
    gitDir: repo.gitDir,
  })
  return refs.split('\n').flatMap((ref) => {
    const number = /^refs\/(?:baton|heads\/task)\/(\d+)\b/.exec(ref)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}

/** Keeps a path out of git for everybody who uses this clone, without touching a tracked file. */
export async function excludeFromClone(repo: Repository, pattern: string): Promise<void> {
  const file = join(repo.gitDir, 'info', 'exclude')
  const text = (await unlessMissing(readFile(file, 'utf8'))) ?? ''
  if (text.split('\n').includes(pattern)) return
  await ensureDirectory(join(repo.gitDir, 'info'))
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${pattern}\n`)
}
