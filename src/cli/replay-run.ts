import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFrozen } from '../config/freeze.ts'
import { runWorkflow } from '../engine/run-workflow.ts'
import { borrowRepository, firstPresent, standAt } from '../git/borrowed-repository.ts'
import { looksEnded } from '../git/space-turns.ts'
import { findTaskWorkspace } from '../git/task-workspace.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import { openRecording } from '../journal/recording.ts'
import type { Recording } from '../journal/recording.ts'
import { redact, secretsIn } from '../journal/redact.ts'
import { DifferenceError, EndOfRecordingError, openReplayContext } from '../journal/replay-context.ts'
import { findRun, runFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Replayed } from '../model/replayed.ts'
import { movedClock } from '../platform/clock.ts'
import type { MovedClock } from '../platform/clock.ts'
import { realpath } from '../platform/quick-files.ts'
import { noWalls } from '../sandbox/no-walls.ts'
import { createPerformer } from '../steps/perform.ts'
import type { Workplace } from '../steps/workplace.ts'
import type { RunRecord } from './open-session.ts'
import { openProject } from './project.ts'
import type { Project } from './project.ts'
import { openProviders } from './workbench.ts'
import type { Surroundings } from './workbench.ts'
import { workplaceOf } from './workplace-of.ts'

/**
 * Goes through a run once more, without a network, a key or any of its tools: what came from outside is taken from
 * the recording, and what Baton makes of it is made anew in a repository that is removed afterwards.
 */
export async function replayRun(surroundings: Surroundings, run: string | undefined): Promise<Replayed> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(project.runsDir, run)
  const lines = await readWholeJournal(folder.journal)
  const recording = openRecording({ folder, gitDir: project.repo.gitDir }, lines)
  const place = recording.value('run/place')
  if (!isJsonObject(place)) throw tooEarly(folder)
  const room = await realpath(await mkdtemp(join(tmpdir(), 'baton-replay-')))
  try {
    const stage = await openStage({ project, recording, place, room }, surroundings)
    return await play(stage)
  } finally {
    await looksEnded()
    await rm(room, { recursive: true, force: true })
  }
}

interface Source {
  readonly project: Project
  readonly recording: Recording
  /** Where the run had its branch and its worktree. */
  readonly place: JsonObject
  /** A folder for all that is made, removed afterwards. */
  readonly room: string
}

interface Stage extends Source {
  readonly workplace: Workplace
  readonly record: RunRecord
  readonly clock: MovedClock
  readonly surroundings: Surroundings
}

async function openStage(source: Source, outer: Surroundings): Promise<Stage> {
  const { project, recording, place, room } = source
  const digest = textOf(recording.lines.find(({ type }) => type === 'run.started')?.data['digest'])
  const { loaded, settings, files } = await loadFrozen(recording.folder.frozen, { digest })
  const record = JSON.parse(files['run.json'] ?? '{}') as RunRecord
  const folder = runFolder(join(room, 'runs'), recording.folder.id)
  const commit = (name: string) => textOf(place[name])
  const repo = await borrowRepository(project.repo, {
    ...{ root: join(room, 'repository'), start: commit('start'), from: recording.folder.git, to: folder.git },
    base: { ref: commit('base_ref'), commit: commit('baseCommit') },
  })
  const clock = movedClock(new Date(recording.lines[0]?.ts ?? 0))
  const { onActivity: _onActivity, ...quiet } = outer
  const surroundings = { ...quiet, clock, cwd: repo.root }
  const text = files['script.yaml']
  const script =
    record.script === undefined ? undefined : { file: record.script, ...(text === undefined ? {} : { text }) }
  const workplace = workplaceOf({
    ...{ project: { ...project, repo }, folder, surroundings, loaded, settings, walls: noWalls, wait: false },
    ...{ requested: record.requested, provider: openProviders(surroundings, settings, script) },
  })
  return { ...source, workplace: { ...workplace, recording }, record, clock, surroundings }
}

async function play(stage: Stage): Promise<Replayed> {
  const { workplace, record, recording, surroundings } = stage
  const seen = { calls: 0, steps: 0 }
  const secrets = secretsIn(surroundings.env)
  const here = inRoom(stage)
  const context = openReplayContext({
    ...{ recording, here, signal: surroundings.interrupt, isDoneAgain: (key) => doneAgain.test(key) },
    clean: (value) => redact(value, secrets),
    async onStep(key, recorded) {
      if (/\/call\/\d+$/.test(key)) seen.calls += 1
      if (key.endsWith('/start')) seen.steps += 1
      await getReady(stage, key, recorded)
    },
  })
  const about = () => ({ run: recording.folder.id, ...seen })
  try {
    const { outcome, reason } = await runWorkflow(context, {
      ...{ workflow: workplace.workflow, performer: createPerformer(workplace), values: record.values },
      ...(record.mode === undefined ? {} : { mode: record.mode }),
      ...(record.time_limit_ms === undefined ? {} : { timeLimitMs: record.time_limit_ms }),
    })
    return { ...about(), end: { type: 'finished', outcome, reason } }
  } catch (error) {
    if (error instanceof EndOfRecordingError) return { ...about(), end: { type: 'open', at: error.key } }
    if (!(error instanceof DifferenceError)) throw error
    return { ...about(), end: { type: 'different', at: error.key, difference: error.difference } }
  }
}

/** What Baton makes of an agent's words and changes. All else comes from outside: clocks, people, commands, remotes. */
const doneAgain = /\/(?:call\/\d+|work)$/

/** The worktree has another place now, and so has the run's folder. */
function inRoom({ place, room, recording, workplace, project }: Stage): (value: Json) => Json {
  const moved: readonly (readonly [string, string])[] = [
    [textOf(place['worktree']), join(room, 'worktree')],
    [recording.folder.dir, workplace.folder.dir],
    [project.repo.root, workplace.repo.root],
  ]
  const here = (value: Json): Json => {
    if (typeof value === 'string') return moved.reduce((text, [from, to]) => text.replaceAll(from, to), value)
    if (Array.isArray(value)) return value.map((part: Json) => here(part))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, here(part)]))
  }
  return here
}

/** Each step begins where it began then, at that time, with whom it had. */
async function getReady(stage: Stage, key: string, recorded: Json): Promise<void> {
  const { recording, workplace, clock } = stage
  const [, visit = '', call = ''] = /^(.*)\/call\/(\d+)$/.exec(key) ?? []
  const started = recording.note('agent.started', visit, Number(call))
  clock.moveTo(new Date((started ?? recording.fact(key))?.ts ?? 0))
  // Who was asked then could be asked: a time that he named was over, or another process had forgotten it.
  if (started) workplace.quotas.delete(textOf(started.data['provider']))
  if (key.endsWith('/start') && isJsonObject(recorded)) await arrive(stage, recorded)
}

async function arrive({ workplace, place }: Stage, start: JsonObject): Promise<void> {
  const { repo, folder } = workplace
  const tip = textOf(start['tip'])
  const at = { run: folder.id, branch: textOf(place['branch']), stateDir: folder.git }
  const task = await findTaskWorkspace(repo, at)
  if (!task) throw new Error('a recorded step begins before its branch is there')
  const tree = await firstPresent(repo, [textOf(start['tree']), tip])
  if (tree === undefined || (await firstPresent(repo, [tip])) === undefined) throw lost(folder.id, tip)
  await standAt(task, { tip, tree })
}

function lost(run: string, commit: string): FailureError {
  return new FailureError({
    code: 'replay.commit',
    message: `The commit ${commit.slice(0, 12)} of run ${run} is not in the repository any more.`,
    next: 'Replay it in the clone that it was made in, before its branch and refs/baton are removed.',
  })
}

function tooEarly({ id }: RunFolder): FailureError {
  return new FailureError({
    code: 'replay.early',
    message: `Run ${id} ended before it had a branch: there is nothing to replay.`,
    next: `baton show ${id}`,
  })
}
