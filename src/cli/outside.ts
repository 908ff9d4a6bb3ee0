import type { Opened } from '../forge/open-forge.ts'
import { readRemote } from '../forge/remote-address.ts'
import { remoteUrl } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import type { ForgeSettings, RemoteCheck, Settings } from '../model/settings.ts'
import type { Outside } from '../steps/workplace.ts'
import type { Surroundings } from './workbench.ts'

const usual: ForgeSettings = { remote: 'origin', draft: false, labels: [], reviewers: [] }

/** The way out of this machine. Nothing is asked before somebody walks it. */
export function openOutside(
  repo: Repository,
  settings: Settings,
  { env }: Pick<Surroundings, 'env'>,
): Outside {
  const forge = settings.forge ?? usual
  const git = { repo, remote: forge.remote, env }
  return {
    git,
    async forge(signal): Promise<Opened> {
      const [{ openForge }, url] = await Promise.all([import('../forge/open-forge.ts'), remoteUrl(git)])
      return openForge({ remoteUrl: url, settings: forge, env, ...(signal === undefined ? {} : { signal }) })
    },
  }
}

/**
 * `warn` unless somebody says otherwise; `abort` where a pull request is wanted and nobody looks on (C-12). A
 * repository without a forge has nothing to check, and nothing is said unless somebody asks.
 */
export async function chooseRemoteCheck(
  { git }: Outside,
  settings: Settings,
  how: { readonly deliver: string; readonly isWatched: boolean },
): Promise<RemoteCheck> {
  if (settings.remoteCheck !== undefined) return settings.remoteCheck
  if (how.deliver === 'pr') return how.isWatched ? 'warn' : 'abort'
  const url = settings.forge?.kind === undefined ? await remoteUrl(git) : 'https://given/by-name'
  return url === undefined || readRemote(url).type === 'local' ? 'off' : 'warn'
}
