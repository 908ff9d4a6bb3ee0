import { join, resolve } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import { FailureError } from '../model/failure.ts'
import type { JsonObject } from '../model/json.ts'
import type { RunPlace } from '../model/step-result.ts'
import { expand } from '../model/template.ts'
import { nameStagedInPrivateDirs } from '../git/drop-private-dirs.ts'
import { commitsLeftOut } from '../git/left-out.ts'
import { resolveBase, resolveCommit } from '../git/repository.ts'
import { dropRef, keepRef } from '../git/task-refs.ts'
import { findTaskWorkspace, openTaskWorkspace, removeTaskWorkspace } from '../git/task-workspace.ts'
import type { TaskSpec, TaskWorkspace } from '../git/task-workspace.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { together } from '../platform/together.ts'
import { needsOf } from '../gates/judge-gates.ts'
import { checkRemote } from './check-remote.ts'
import { detectTests } from './detect-tests.ts'
import { prepareWorktree, safePath } from './prepare-worktree.ts'
import type { Site, Workplace } from './workplace.ts'

/** Folders of the worktree that belong to the engine and are never committed. */
const engineFolders = ['/.baton/inputs/', '/.baton/runs/'] as const

type Place = RunPlace & {
  readonly base_ref: string
  readonly untested: boolean
  /** Absent in the journals of older runs. */
  readonly lfs?: boolean
  readonly left_out?: number
  readonly no_identity?: boolean
}

/** Branch and worktree, before any agent is started (R001-68); then what the project needs in order to work there. */
export async function beginRun(
  context: DurableContext,
  workplace: Workplace,
  values: JsonObject,
): Promise<Site & { place: RunPlace }> {
  await checkRemote(context, workplace)
  const taken = await takePlace(context, workplace, values)
  const { place } = taken
  const { base, start } = place
  if (place.left_out) await context.record('run/left-out', engineEvent('run.warned', leftOutOf(place)))
  if (place.no_identity === true)
    await context.record('run/no-identity', engineEvent('run.warned', { about: 'no_identity' }))
  if (place.untested) await context.record('run/untested', engineEvent('run.warned', { about: 'no_tests' }))
  if (place.lfs === true) await context.record('run/lfs', engineEvent('run.warned', { about: 'lfs' }))
  const task = taken.task ?? (await openTaskWorkspace(workplace.repo, specOf(workplace, place)))
  if (taken.task === undefined) await nameStagedInPrivateDirs(task)
  const prepared = await prepareWorktree(context, workplace, { task, start })
  const target = {
    name: base,
    commit: place.baseCommit,
    ...(place.base_ref === '' ? {} : { ref: place.base_ref }),
  }
  return { ...workplace, task, base: target, start, ports: prepared.ports, place }
}

/** All of it or nothing: before the journal tells of the branch, nobody would ever know whose it is. */
async function takePlace(
  context: DurableContext,
  workplace: Workplace,
  values: JsonObject,
): Promise<{ readonly place: Place; readonly task: TaskWorkspace | undefined }> {
  const { repo } = workplace
  let task: TaskWorkspace | undefined
  let undo: (() => Promise<void>) | undefined
  try {
    const place = await context.step<Place>('run/place', async () => {
      const found = await choosePlace(workplace, values)
      const spec = specOf(workplace, found)
      const isNew = (await findTaskWorkspace(repo, spec)) === undefined
      // Opening makes it where it is missing and mends what a crash left half made.
      const made = await openTaskWorkspace(repo, spec)
      if (isNew)
        undo = async () => {
          await removeTaskWorkspace(made, found.start)
          await dropRef(repo, targetRef(workplace))
        }
      task = made
      return { ...found, worktree: made.worktree, ...(await lookAround(workplace, made, found)) }
    })
    const { branch, worktree, base, start } = place
    await context.record('run/branch', engineEvent('branch.created', { branch, worktree, base, start }))
    return { place, task }
  } catch (error) {
    // What is in the way of that too is told by the first of the two.
    await undo?.().catch(() => undefined)
    throw error
  }
}

/** Keeps the base where it stood, whatever becomes of its branch. */
function targetRef({ folder }: Workplace): string {
  return `refs/baton/${folder.id}/target`
}

async function lookAround(
  workplace: Workplace,
  task: TaskWorkspace,
  { start, baseCommit }: RunPlace,
): Promise<Pick<Place, 'untested' | 'lfs' | 'left_out' | 'no_identity'>> {
  const [untested, hasLarge, beside] = await together([
    isUntested(workplace, task),
    hasLargeFiles(task),
    besideBranch(workplace, start),
    keepRef(workplace.repo, targetRef(workplace), baseCommit),
  ])
  return {
    untested,
    ...(hasLarge ? { lfs: true } : {}),
    ...(beside > 0 ? { left_out: beside } : {}),
    ...(isNobody(workplace) ? { no_identity: true } : {}),
  }
}

/** The workspace of a run that nobody runs, and where its base stands now. */
export async function reopenPlace(
  workplace: Pick<Workplace, 'repo' | 'folder' | 'settings'>,
  lines: readonly JournalLine[],
): Promise<{ readonly task: TaskWorkspace; readonly base: string | undefined } | undefined> {
  const line = lines.find(({ type, data }) => type === 'checkpoint' && data['key'] === 'run/place')
  if (line === undefined) return undefined
  const place = line.data['value'] as Place
  const task = await openTaskWorkspace(workplace.repo, specOf(workplace, place))
  const ref = place.base_ref === '' ? undefined : await resolveCommit(workplace.repo, place.base_ref)
  return { task, base: ref ?? (await resolveCommit(workplace.repo, place.baseCommit)) }
}

/** Agents' own commits are the user's, who has not told git who that is. */
function isNobody({ repo, workflow }: Workplace): boolean {
  return (
    repo.identity === undefined && Object.values(workflow.roles).some(({ commits }) => commits === 'agent')
  )
}

/** Whoever says where to begin knows what that leaves out. */
async function besideBranch({ repo, requested }: Workplace, start: string): Promise<number> {
  return requested.from === undefined ? commitsLeftOut(repo, start) : 0
}

function leftOutOf({ base, base_ref: ref, start, left_out: commits = 0 }: Place): JsonObject {
  const name = ref.startsWith(remoteRefs) ? ref.slice(remoteRefs.length) : base
  return { about: 'left_out', from: `${name} (${start.slice(0, 9)})`, commits }
}

const remoteRefs = 'refs/remotes/'

/** Said at the start and not after the first expensive step. A project may still get its first test in this run. */
async function isUntested({ workflow, settings }: Workplace, task: TaskWorkspace): Promise<boolean> {
  const needs = needsOf(workflow.steps.flatMap(({ gates }) => gates))
  const isGated = needs.has('tests') || needs.has('clean_tests')
  if (!isGated || settings.checks['tests']) return false
  return (await detectTests((path) => readTextIfPresent(join(task.worktree, path)))) === undefined
}

/** Where `git lfs track` writes it down. Its filter is a program of the user's, and so never run in a worktree. */
async function hasLargeFiles({ worktree }: TaskWorkspace): Promise<boolean> {
  const attributes = (await readTextIfPresent(join(worktree, '.gitattributes'))) ?? ''
  return /^[^#\n]*\sfilter=lfs\b/m.test(attributes)
}

async function choosePlace(
  { repo, requested, workflow, settings }: Workplace,
  values: JsonObject,
): Promise<Omit<Place, 'untested'>> {
  const [base, from] = await together([
    resolveBase(repo, requested.base ?? settings.base),
    requested.from === undefined ? Promise.resolve(undefined) : resolveCommit(repo, requested.from),
  ])
  const start = requested.from === undefined ? base.commit : from
  if (start === undefined) {
    throw new FailureError({
      code: 'from.missing',
      message: `The starting point '${requested.from}' is not a commit of this repository.`,
      next: 'Choose one from: git log --oneline',
    })
  }
  return {
    branch: expand(workflow.policy.branch, values),
    worktree: resolve(repo.root, expand(workflow.policy.worktree, values)),
    base: base.name,
    base_ref: base.ref ?? '',
    baseCommit: base.commit,
    start,
  }
}

/** What is brought into the worktree for its tools' sake is never committed either. */
function specOf({ folder, settings }: Pick<Workplace, 'folder' | 'settings'>, place: RunPlace): TaskSpec {
  const { branch, worktree, start } = place
  const brought = [...settings.worktree.copy, ...settings.worktree.link].map((path) => `/${safePath(path)}`)
  return {
    run: folder.id,
    branch,
    worktree,
    start,
    stateDir: folder.git,
    excludes: [...engineFolders, ...brought],
  }
}
