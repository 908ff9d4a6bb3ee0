import { join } from 'node:path'
import { firstSettings, ownLogin } from '../../config/first-settings.ts'
import type { FoundProject } from '../../config/first-settings.ts'
import { fileEndings, readIfFile } from '../../config/find-files.ts'
import { createRegistry, toolNames } from '../../agents/registry.ts'
import { resolveBase } from '../../git/repository.ts'
import type { Provider } from '../../model/agent.ts'
import { FailureError } from '../../model/failure.ts'
import { errorCode } from '../../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, writeNewFile } from '../../platform/files.ts'
import { lstatIfThere } from '../../platform/quick-files.ts'
import { detectTests } from '../../steps/detect-tests.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import type { Project } from '../project.ts'
import { mendForGit } from '../require-git.ts'
import type { Surroundings } from '../workbench.ts'

export interface InitFlags {
  readonly yes?: boolean
  readonly shareLogin?: boolean
}

/** Writes the first settings of a project from what is found in it. What is there already is never touched. */
export async function init({ surroundings, output }: Command, flags: InitFlags): Promise<number> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const dir = join(project.repo.root, '.baton')
  const there = await existingSettings(dir)
  if (there !== undefined) {
    const text = `${there} is there already; nothing was changed.\nNext: baton doctor`
    output.result(text, { file: there, written: false })
    return 0
  }
  const tools = await surveyTools(surroundings)
  const shareLogin = await mayShareLogin(surroundings, tools, flags)
  const found = { ...(await surveyProject(project)), ...chosen(tools, shareLogin) }
  const file = join(dir, 'config.yaml')
  await ensureDirectory(dir)
  await writeNew(file, firstSettings(found))
  const own = shareLogin ? await noteLogin(project) : []
  const mend = mendForGit(surroundings)
  const git = mend === undefined ? [] : [`  git        not found in PATH: ${mend}`]
  output.result([...summary(file, found, tools), ...own, ...git, 'Next: baton doctor'].join('\n'), {
    ...{ file, written: true, base: found.base, tests: [...(found.tests ?? [])] },
    ...{ provider: found.provider ?? null, login: shareLogin ? 'share' : 'key', link: [...found.link] },
    ...{ git: mend === undefined },
    ...{ copy: [...found.copy], ready: [...tools.ready], logged_in: [...tools.loggedIn] },
  })
  return 0
}

interface Tools {
  /** Installed, with a key in the environment. */
  readonly ready: readonly string[]
  /** Installed, without a key, but with a login of their own. */
  readonly loggedIn: readonly string[]
}

async function surveyTools({ cwd, env }: Surroundings): Promise<Tools> {
  const usable = async (shareLogin: boolean): Promise<string[]> => {
    const provider = createRegistry({ path: env['PATH'] ?? '', cwd, env, shareLogin })
    const tried = await Promise.all(
      toolNames.map(async (name) => ((await canPlay(provider(name))) ? [name] : [])),
    )
    return tried.flat()
  }
  const ready = await usable(false)
  const all = await usable(true)
  return { ready, loggedIn: all.filter((name) => !ready.includes(name)) }
}

async function canPlay(provider: Provider): Promise<boolean> {
  try {
    await provider.check()
    return true
  } catch (error) {
    if (error instanceof FailureError) return false
    throw error
  }
}

/** Asked only where it would make a difference; nobody there to ask means no. */
async function mayShareLogin(
  { askYesNo }: Surroundings,
  { ready, loggedIn }: Tools,
  flags: InitFlags,
): Promise<boolean> {
  if (flags.shareLogin === true) return true
  if (ready.length > 0 || loggedIn.length === 0 || flags.yes === true || !askYesNo) return false
  return askYesNo(
    `No API key is set, but ${loggedIn.join(' and ')} has a login of its own. Shared with Baton, it is copied into each call, where commands that the agent runs can read it. Share it?`,
  )
}

function chosen({ ready, loggedIn }: Tools, shareLogin: boolean): { provider?: string } {
  const [first] = shareLogin ? [...ready, ...loggedIn] : ready
  return first === undefined ? {} : { provider: first }
}

/** A login is the user's and not the project's. A file that he has written himself is his to change. */
async function noteLogin({ layers }: Project): Promise<string[]> {
  const dir = layers.find(({ name }) => name === 'user')?.dir
  if (dir === undefined) return ["  login      write 'login: share' into your own settings"]
  const there = await existingSettings(dir)
  if (there !== undefined) return [`  login      write 'login: share' into ${there}`]
  const file = join(dir, 'config.yaml')
  await ensureDirectory(dir)
  await writeNew(file, ownLogin)
  return [`  login      shared, in ${file}`]
}

function summary(file: string, found: FoundProject, { loggedIn }: Tools): string[] {
  const { base, tests, provider } = found
  return [
    `Wrote ${file}`,
    `  base       ${base}`,
    `  tests      ${tests?.join(' ') ?? 'none found: write checks.tests there, or the gates that need them stay shut'}`,
    `  provider   ${provider ?? `none is ready${loggedIn.length === 0 ? '' : ` (${loggedIn.join(', ')}: a login, no key)`}`}`,
    ...(found.link.length === 0 ? [] : [`  linked     ${found.link.join(', ')}`]),
    ...(found.copy.length === 0 ? [] : [`  copied     ${found.copy.join(', ')}`]),
  ]
}

async function existingSettings(dir: string): Promise<string | undefined> {
  for (const ending of fileEndings) {
    const file = join(dir, `config${ending}`)
    if ((await readIfFile(file)) !== undefined) return file
  }
  return undefined
}

/** Another process may have been quicker. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeNewFile(file, text)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

const linked = ['node_modules', '.venv', 'venv']
const copied = ['.env', '.env.local', '.env.test']

async function surveyProject({ repo }: Project): Promise<FoundProject> {
  const there = async (names: readonly string[]): Promise<string[]> => {
    const found = await Promise.all(names.map(async (name) => lstatIfThere(join(repo.root, name))))
    return names.filter((_name, at) => found[at] !== undefined)
  }
  const tests = await detectTests((path) => readTextIfPresent(join(repo.root, path)))
  const { name, ref } = await resolveBase(repo)
  return {
    base: name,
    isRemote: ref?.startsWith('refs/remotes/') === true,
    ...(tests === undefined ? {} : { tests }),
    ...{ link: await there(linked), copy: await there(copied) },
  }
}
