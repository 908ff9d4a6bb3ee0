import type { Repository } from './repository.ts'
import { splitAtNul } from './facts.ts'
import { git } from './host-git.ts'

export interface TreeFile {
  /** Relative to the top of the repository. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'repository'
  readonly bytes: number
}

/** What is committed below a folder, in the order of the paths' bytes; '' is everything. Ignored files are not there. */
export async function filesAt(repo: Repository, commit: string, folder: string): Promise<TreeFile[]> {
  const below = folder === '' ? [] : ['--', `${folder}/`]
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...below]
  const { stdout } = await git(args, { gitDir: repo.gitDir })
  return splitAtNul(stdout).flatMap((line) => {
    const tab = line.indexOf('\t')
    const [mode = '', , , bytes = '0'] = line.slice(0, tab).split(/ +/)
    return [{ path: line.slice(tab + 1), kind: kindOf(mode), bytes: Number(bytes) || 0 }]
  })
}

function kindOf(mode: string): TreeFile['kind'] {
  if (mode.startsWith('100')) return 'file'
  return mode === '120000' ? 'link' : 'repository'
}
