import { freezeRun } from '../config/freeze.ts'
import { defined } from '../config/records.ts'
import { resolveBase, resolveCommit } from '../git/repository.ts'
import { excludeFromClone, usedRunNumbers } from '../git/run-numbers.ts'
import { refuseWaysOut } from '../git/tracked-links.ts'
import { hasBranch } from '../journal/has-branch.ts'
import { markOwnRun, unmarkRun } from '../journal/own-runs.ts'
import { claimRunFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import type { Walls } from '../model/walls.ts'
import { rm } from '../platform/quick-files.ts'
import { together } from '../platform/together.ts'
import { refuseStrangeScript } from './check-script.ts'
import { openSession } from './open-session.ts'
import type { RunOutcome, RunRecord } from './open-session.ts'
import { planRun } from './plan-run.ts'
import type { RunPlan, RunRequest } from './plan-run.ts'
import { openProject } from './project.ts'
import type { Project } from './project.ts'
import { raiseWalls, wallsFact } from './raise-walls.ts'
import { requireGit } from './require-git.ts'
import { version } from './version.ts'
import { providersOf } from './workbench.ts'
import type { Surroundings } from './workbench.ts'
import { workplaceOf } from './workplace-of.ts'

/** Everything is checked before anything is made: a run that cannot work leaves nothing behind. */
export async function startRun(surroundings: Surroundings, request: RunRequest): Promise<RunOutcome> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const plan = await planRun(project, surroundings, request)
  const providers = providersOf(plan.loaded.workflow)
  const [, , , used] = await together([
    checkStart(project, plan),
    refuseWaysOut({ root: project.repo.root, env: surroundings.env }, plan.settings.worktree),
    checkProviders(plan, providers),
    usedRunNumbers(project.repo),
  ])
  requireGit(surroundings)
  const walls = await raiseWalls(surroundings, { ...plan, providers })
  const folder = await claimRunFolder(project.runsDir, used)
  const values = { ...plan.values, task_id: folder.id, run: folder.id }
  try {
    await excludeFromClone(project.repo, '.baton/runs/')
    const wait = request.wait === true
    return await begin({ project, plan: { ...plan, values }, folder, surroundings, walls, wait })
  } catch (error) {
    if (!(await hasBranch(folder))) await discard(project, folder)
    throw error
  }
}

async function checkProviders(plan: RunPlan, providers: readonly string[]): Promise<void> {
  for (const name of providers) {
    const provider = plan.provider(name)
    await provider.check()
    await refuseStrangeScript(plan, provider)
  }
}

async function checkStart(project: Project, plan: RunPlan): Promise<void> {
  const { base, from } = plan.requested
  const [, start] = await together([
    resolveBase(project.repo, base),
    from === undefined ? Promise.resolve('') : resolveCommit(project.repo, from),
  ])
  if (start !== undefined) return
  throw new FailureError({
    code: 'from.missing',
    message: `The starting point '${from}' is not a commit of this repository.`,
    next: 'Choose one from: git log --oneline',
  })
}

interface Beginning {
  readonly project: Project
  readonly plan: RunPlan
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly walls: Walls
  readonly wait: boolean
}

async function begin({ project, plan, folder, surroundings, walls, wait }: Beginning): Promise<RunOutcome> {
  const { loaded, settings, values, mode, script, provider, requested } = plan
  const record: RunRecord = {
    ...{ values, requested },
    ...defined({ mode, time_limit_ms: settings.timeLimitMs, script: script?.file }),
  }
  const files = {
    'run.json': `${JSON.stringify(record, null, 2)}\n`,
    ...defined({ 'script.yaml': script?.text }),
  }
  const { digest } = await freezeRun(folder.frozen, { loaded, settings, files })
  await markOwnRun(project.repo, folder, digest)
  const opening = {
    type: 'run.started' as const,
    ...{ run: folder.id, workflow: loaded.workflow.name, digest, version: version() },
    ...{ task: textOf(values['task']), mode: mode ?? '', inputs: values },
    ...wallsFact(walls, settings),
  }
  const workplace = workplaceOf({
    ...{ project, folder, surroundings, provider, loaded, settings, requested, walls, wait },
  })
  return openSession({ project, folder, surroundings, workplace, record, opening })
}

async function discard({ repo }: Project, folder: RunFolder): Promise<void> {
  await rm(folder.dir, { recursive: true, force: true })
  await rm(folder.journal, { force: true })
  await unmarkRun(repo, folder.id)
}
