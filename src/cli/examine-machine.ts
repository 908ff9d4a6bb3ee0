import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { resolveBase } from '../git/repository.ts'
import type { Repository } from '../git/repository.ts'
import type { Settings } from '../model/settings.ts'
import { captureCommand } from '../platform/capture.ts'
import { findExecutable } from '../platform/executable.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { openWalls } from '../sandbox/open-walls.ts'
import { detectTests } from '../steps/detect-tests.ts'
import { examineRemote } from './examine-remote.ts'
import { examineRuns } from './examine-runs.ts'
import type { Finding } from './finding.ts'
import { openProject } from './project.ts'
import type { Surroundings } from './workbench.ts'

/** Everything around the agents, looked at and not changed: programs, walls, repository, disk, remote, what is left of runs. */
export async function examineMachine(
  surroundings: Surroundings,
  settings: Settings,
): Promise<readonly Finding[]> {
  const looks = [
    ...[async () => nodeHere(), async () => gitHere(surroundings)],
    ...[async () => wallsHere(surroundings, settings), async () => repositoryHere(surroundings, settings)],
    ...[async () => testsHere(surroundings, settings), async () => diskHere(surroundings)],
  ]
  const found: Finding[] = []
  for (const look of looks) found.push(await look())
  return [...found, ...(await projectHere(surroundings, settings))]
}

/** Nothing where there is no repository: that was said already. */
async function projectHere(surroundings: Surroundings, settings: Settings): Promise<readonly Finding[]> {
  try {
    const project = await openProject(surroundings.cwd, surroundings.env)
    return [
      identityHere(project.repo),
      await examineRemote(project, settings, surroundings),
      ...(await examineRuns(project, surroundings.clock.now().getTime())),
    ]
  } catch (error) {
    if (error instanceof FailureError) return []
    throw error
  }
}

/** Agents' own commits are made in the user's name. */
function identityHere({ identity }: Repository): Finding {
  if (identity)
    return { name: 'identity', ok: true, says: `commits are made as ${identity.name} <${identity.email}>` }
  return {
    ...{
      name: 'identity',
      ok: false,
      says: 'git has no user.name or no user.email: commits that would be yours are made as Baton',
    },
    mend: 'git config --global user.name "<your name>" && git config --global user.email "<your address>"',
  }
}

function nodeHere(): Finding {
  return { name: 'node', ok: true, says: process.version }
}

const oldestGit = [2, 38] as const

async function gitHere(surroundings: Surroundings): Promise<Finding> {
  const says = await gitVersion(surroundings)
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(says)?.[0] ?? '0.0').split('.').map(Number)
  const ok = major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1])
  return { name: 'git', ok, says, ...(ok ? {} : { mend: `Install git ${oldestGit.join('.')} or newer` }) }
}

/** What agents would find. */
async function gitVersion({ env, cwd }: Surroundings): Promise<string> {
  const path = { PATH: env['PATH'] ?? '/usr/bin:/bin' }
  const found = findExecutable('git', { cwd, env: path })
  if (found === undefined) return 'not found in PATH'
  return (await captureCommand([found, '--version'], { cwd, env: path })).stdout.toString().trim()
}

async function wallsHere({ sandboxProgram }: Surroundings, { sandbox }: Settings): Promise<Finding> {
  if (sandbox === 'off') {
    const says = 'down, by the settings: what agents run can do whatever you can'
    return { name: 'walls', ok: true, says }
  }
  return orFailure('walls', async () => {
    const { platform } = process
    const walls = await openWalls(
      sandboxProgram === undefined ? { platform } : { platform, program: sandboxProgram },
    )
    return `${walls.kind}, tried and found to hold`
  })
}

async function repositoryHere({ cwd, env }: Surroundings, { base }: Settings): Promise<Finding> {
  return orFailure('repository', async () => {
    const { repo } = await openProject(cwd, env)
    const { name } = await resolveBase(repo, base)
    return `${repo.root}, base ${name}`
  })
}

async function testsHere({ cwd, env }: Surroundings, { checks }: Settings): Promise<Finding> {
  const set = checks['tests']?.command
  if (set) return { name: 'tests', ok: true, says: `${set.join(' ')} (settings)` }
  let isFound = true
  const finding = await orFailure('tests', async () => {
    const { repo } = await openProject(cwd, env)
    const command = await detectTests((path) => readTextIfPresent(join(repo.root, path)))
    isFound = command !== undefined
    return command?.join(' ') ?? 'no command found; steps that must pass the tests cannot pass'
  })
  return isFound
    ? finding
    : { ...finding, ok: false, mend: 'Write checks.tests into .baton/config.yaml, or: baton init' }
}

/** A worktree, a clean checkout and a day of recordings of a middling project. */
const enoughBytes = 1e9

async function diskHere({ cwd }: Surroundings): Promise<Finding> {
  const { bavail, bsize } = await statfs(cwd)
  const free = bavail * bsize
  const says = `${(free / 1e9).toFixed(1)} GB free`
  if (free >= enoughBytes) return { name: 'disk', ok: true, says }
  return { name: 'disk', ok: false, says, mend: 'baton clean --dry-run' }
}

async function orFailure(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, says: await look() }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return { name, ok: false, says: error.message, mend: error.next }
  }
}
