import { ForgeError } from '../forge/forge.ts'
import type { Forge } from '../forge/forge.ts'
import { remoteUrl } from '../git/remote.ts'
import { resolveBase } from '../git/repository.ts'
import type { Settings } from '../model/settings.ts'
import { remoteBranch } from '../steps/remote-branch.ts'
import type { Finding } from './finding.ts'
import { openOutside } from './outside.ts'
import type { Project } from './project.ts'
import type { Surroundings } from './workbench.ts'

const lacks = { pull_request: 'pull requests are not required', force_push: 'forced pushes are not blocked' }

/** The remote, and whether its base is guarded. Only who wants pull requests needs one. */
export async function examineRemote(
  { repo }: Project,
  settings: Settings,
  surroundings: Surroundings,
): Promise<Finding> {
  const outside = openOutside(repo, settings, surroundings)
  const { git } = outside
  const wanted = settings.deliver === 'pr'
  const said = (says: string, mend?: string): Finding => {
    const ok = mend === undefined || !wanted
    return { name: 'remote', ok, says, ...(ok || mend === undefined ? {} : { mend }) }
  }
  if ((await remoteUrl(git)) === undefined)
    return said(`no remote '${git.remote}'; branches stay here`, `git remote add ${git.remote} <address>`)
  const opened = await outside.forge(surroundings.interrupt)
  if (opened.type !== 'open') return said(`${git.remote}: ${opened.why}`)
  const branch = remoteBranch(await resolveBase(repo, settings.base), git.remote)
  const guarded = await guardOf(opened.forge, branch)
  const about = `${opened.forge.name}, ${opened.forge.repository}`
  return guarded.missing === ''
    ? said(`${about}: '${branch}' ${guarded.says}`)
    : said(`${about}: '${branch}' is not protected: ${guarded.missing}`, 'Protect the branch at the forge')
}

async function guardOf(forge: Forge, branch: string): Promise<{ says: string; missing: string }> {
  try {
    const protection = await forge.protection(branch)
    if (protection.type === 'protected') return { says: 'is protected', missing: '' }
    if (protection.type === 'unprotected')
      return { says: '', missing: protection.missing.map((guard) => lacks[guard]).join(', ') }
    return { says: `could not be asked about: ${protection.why}`, missing: '' }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    return { says: `could not be asked about: ${error.message}`, missing: '' }
  }
}
