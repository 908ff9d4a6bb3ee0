import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentCommand } from '../model/agent.ts'
import type { Cover, Room } from '../model/walls.ts'
import { objectStores } from '../git/object-stores.ts'
import { submoduleConfigs } from '../git/submodule-configs.ts'
import { packageFile } from '../platform/package-file.ts'
import { realpath } from '../platform/quick-files.ts'
import { unlessMissing } from '../platform/errno.ts'
import { toolchains } from '../sandbox/toolchains.ts'
import { filesOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'
import type { Site, Workplace } from './workplace.ts'

/** What an agent may not change of its own git directory: where it stands, what it obeys, whose objects it borrows. */
export const sealedInGitDir = ['HEAD', 'commondir', 'config', 'hooks', 'info', 'objects/info']

/** The worktree, the agent's own git directory and its home; the main repository's objects to read. */
export async function agentRoom(
  call: AgentCall,
  { argv: [program], sealed = [] }: Pick<AgentCommand, 'argv' | 'sealed'>,
  doors: Room['doors'],
): Promise<Room> {
  const { site, dir, gitDir } = call
  const files = filesOf(dir)
  const { worktree } = site.task
  const shown = await shownEverywhere(site, program)
  return {
    ...shown,
    readable: [...shown.readable, ...(await objectStores(site.repo)), files.prompt, ...present(files.bin)],
    writable: [worktree, gitDir, files.home, ...present(files.channel)],
    // Else it could be renamed together with the sealed folder in it.
    pinned: [join(gitDir, 'objects')],
    sealed: [join(worktree, '.git'), ...sealedInGitDir.map((name) => join(gitDir, name)), ...sealed],
    scratch: join(dir, 'tmp'),
    doors,
    limits: site.settings.limits,
  }
}

/** Only a tool that asks the firewall has a way to it. */
function present(path: string): string[] {
  return existsSync(path) ? [path] : []
}

export interface Place {
  /** The checkout that the command works in. */
  readonly root: string
  /** Its home, kept from command to command of the same checkout: caches, what set-up installs. */
  readonly home: string
  /** Of this command alone: its /tmp. */
  readonly scratch: string
  readonly doors: Room['doors']
  /** What else may be read, such as the worktree that a clean checkout borrows dependencies from. */
  readonly readable?: readonly string[]
}

/** The checkout and a home; the repository can be asked, and neither written nor searched for secrets. */
export async function checkRoom(
  workplace: Workplace,
  { root, home, scratch, doors, readable = [] }: Place,
): Promise<Room> {
  const { repo, folder, settings } = workplace
  const shown = await shownEverywhere(workplace)
  const pointer = join(root, '.git')
  const harmless = join(folder.git, 'engine', 'config')
  const configs = [join(repo.gitDir, 'config'), ...(await submoduleConfigs(repo.gitDir))]
  const covers: Cover[] = configs.map((path) => ({ path, by: harmless }))
  return {
    ...shown,
    readable: [...shown.readable, repo.gitDir, ...(await objectStores(repo)), ...readable],
    writable: [root, home],
    pinned: [],
    sealed: existsSync(pointer) ? [pointer] : [],
    covered: [...shown.covered, ...covers],
    scratch,
    doors,
    limits: settings.limits,
  }
}

/** PATH's installations, what the project links into its worktrees, and our own programs. */
async function shownEverywhere(
  { env, settings, repo }: Pick<Site, 'env' | 'settings' | 'repo'>,
  program = process.execPath,
): Promise<Pick<Room, 'readable' | 'covered'>> {
  const tools = toolchains({
    path: env['PATH'] ?? '',
    home: env['HOME'] ?? '/',
    programs: [process.execPath, program],
  })
  const linked = await Promise.all(
    settings.worktree.link.map((path) => unlessMissing(realpath(join(repo.root, path)))),
  )
  const ours = ['dist', 'package.json'].map(packageFile)
  return {
    readable: [...tools.readable, ...ours, ...linked.filter((path) => path !== undefined)],
    covered: tools.covered,
  }
}

/** Variables by which tools find their parts although the person's home is not there. */
export function roomEnvironment({ env }: Pick<Workplace, 'env'>): Readonly<Record<string, string>> {
  const place = { path: env['PATH'] ?? '', home: env['HOME'] ?? '/', programs: [] }
  return toolchains(place).env
}
