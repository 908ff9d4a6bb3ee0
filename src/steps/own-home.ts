import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ensureDirectory } from '../platform/files.ts'
import { removeTree } from '../platform/remove-tree.ts'
import { roomEnvironment } from './rooms.ts'
import type { Workplace } from './workplace.ts'

type Housed = Pick<Workplace, 'walls' | 'env' | 'folder'>

/**
 * The home of commands that run in one checkout. Behind walls the person's own is not there: they get one of the
 * run's, so that caches last from one to the next. Each checkout has its own, and a clean one begins with nothing.
 */
export async function homeOf({ walls, env, folder }: Housed, root: string): Promise<string> {
  if (walls.kind === 'none') return env['HOME'] ?? '/'
  const home = ownHome(folder, root)
  await ensureDirectory(home)
  return home
}

export async function forgetHomeOf({ walls, folder }: Housed, root: string): Promise<void> {
  if (walls.kind !== 'none') await removeTree(ownHome(folder, root))
}

/** What the commands see of the environment; without walls as it is. */
export function ownEnvironment(workplace: Housed, home: string): Readonly<Record<string, string>> {
  if (workplace.walls.kind === 'none') return workplace.env
  return { ...workplace.env, ...roomEnvironment(workplace), HOME: home }
}

function ownHome({ dir }: Workplace['folder'], root: string): string {
  return join(dir, 'homes', createHash('sha256').update(root).digest('hex').slice(0, 12))
}
