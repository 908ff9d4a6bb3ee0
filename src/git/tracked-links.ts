import { basename, dirname, join, normalize } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { unlessMissing } from '../platform/errno.ts'
import { lstatIfThere, realpath } from '../platform/quick-files.ts'
import { discoveryGit } from './host-git.ts'

interface Checkout {
  readonly root: string
  readonly env: Readonly<NodeJS.ProcessEnv>
}

interface Brought {
  readonly copy: readonly string[]
  readonly link: readonly string[]
}

/**
 * What the settings bring into a worktree lies in the checkout. A link that is part of the repository may not lead out
 * of it: whoever wrote it would choose what of this machine agents can read. One that is not is the user's own.
 */
export async function refuseWaysOut(checkout: Checkout, { copy, link: linked }: Brought): Promise<void> {
  for (const path of [...copy, ...linked].map(normalize)) {
    const real = await unlessMissing(realpath(join(checkout.root, path)))
    if (real === undefined || `${real}/`.startsWith(`${checkout.root}/`)) continue
    const link = await trackedLinkOn(checkout, path)
    if (link === undefined) continue
    throw new FailureError({
      code: 'worktree.path',
      message: `'${path}' under worktree in the settings leads out of the repository, by the link '${link}' that is part of it.`,
      next: `ls -l ${shellWord(link)}   (then take '${path}' out of worktree in .baton/config.yaml)`,
    })
  }
}

async function trackedLinkOn({ root, env }: Checkout, path: string): Promise<string | undefined> {
  const parts = path.split('/').filter(Boolean)
  for (const [index] of parts.entries()) {
    const link = parts.slice(0, index + 1).join('/')
    const place = join(root, link)
    if ((await lstatIfThere(place))?.isSymbolicLink() !== true) continue
    // Asked where it stands: it may be part of a submodule.
    const asked = ['ls-files', '-z', '--', `:(literal)${basename(place)}`]
    const { code, stdout } = await discoveryGit(asked, { cwd: dirname(place), env })
    if (code === 0 && stdout.length > 0) return link
  }
  return undefined
}
