import { join } from 'node:path'
import { errorCode } from '../platform/errno.ts'
import { readdir } from '../platform/quick-files.ts'

/** The configurations of submodules, which name their remotes: a name may have slashes, and each may have its own. */
export async function submoduleConfigs(gitDir: string): Promise<string[]> {
  return configsBelow(join(gitDir, 'modules'))
}

async function configsBelow(folder: string): Promise<string[]> {
  const names = await namesIn(folder)
  if (names.includes('HEAD') && names.includes('config'))
    return [join(folder, 'config'), ...(await configsBelow(join(folder, 'modules')))]
  return (await Promise.all(names.map((name) => configsBelow(join(folder, name))))).flat()
}

/** Nothing in what is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}
