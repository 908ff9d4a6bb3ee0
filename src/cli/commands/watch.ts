import { ForgeError } from '../../forge/forge.ts'
import type { Forge, PullRequest } from '../../forge/forge.ts'
import { nextForRequest } from '../../forge/next-for-request.ts'
import type { NextForRequest } from '../../forge/next-for-request.ts'
import { requireOwnRun } from '../../journal/own-runs.ts'
import { findRun } from '../../journal/run-folder.ts'
import { exitCodes, FailureError } from '../../model/failure.ts'
import { textOf } from '../../model/json.ts'
import { terminalLine } from '../../views/terminal-lines.ts'
import { archiveRun } from '../archive-run.ts'
import type { Command } from '../command.ts'
import { limitingFlag } from '../duration-flag.ts'
import { earlierRounds } from '../earlier-rounds.ts'
import { followRun } from '../follow-run.ts'
import { asked, openDoor } from '../forge-door.ts'
import { openProject } from '../project.ts'
import { reworkOf } from '../rework.ts'
import { reportEnd } from '../run-report.ts'
import { startRun } from '../start-run.ts'
import { stateOf } from '../state-of.ts'
import { watchedRun } from '../watched-run.ts'
import type { WatchedRun } from '../watched-run.ts'

export interface WatchFlags {
  readonly every?: string
  readonly rounds?: string
  readonly once?: boolean
}

interface Watching {
  readonly command: Command
  readonly runsDir: string
  readonly run: WatchedRun
  readonly door: Awaited<ReturnType<typeof openDoor>>
  readonly limit: number
}

/** After the delivery: what people and checks say about the pull request goes back to work, until it is merged. */
export async function watch(command: Command, id: string, flags: WatchFlags): Promise<number> {
  const everyMs = limitingFlag(flags.every ?? '1m', 'Write 30s, 1m or 10m, for example: --every 5m')
  const limit = roundsOf(flags.rounds ?? '3')
  const { surroundings } = command
  const { runsDir, repo } = await openProject(surroundings.cwd, surroundings.env)
  const [folder, state] = await deliveredRun(command, runsDir, id)
  await requireOwnRun(repo, folder, state.digest)
  const run = await watchedRun(folder, state)
  const watching = { command, runsDir, run, limit, door: await openDoor(surroundings, {}) }
  try {
    return await keepWatching(watching, { everyMs, isOnce: flags.once === true })
  } catch (error) {
    // Ctrl-C ends a sleep or a question to the forge, and with it the watch.
    if (surroundings.interrupt.aborted) return exitCodes.interrupted
    throw error
  }
}

async function keepWatching(
  watching: Watching,
  { everyMs, isOnce }: { readonly everyMs: number; readonly isOnce: boolean },
): Promise<number> {
  const { output, surroundings } = watching.command
  for (let said = ''; ;) {
    const looked = await look(watching, isOnce)
    const code = await follow(watching, looked)
    if (code !== undefined) return code
    const why = looked.next.type === 'wait' ? looked.next.why : ''
    if (isOnce) return report(watching, 'open', why)
    if (why !== said) output.line(`Pull request #${watching.run.number}: ${why}.`)
    said = why
    await surroundings.clock.sleep(everyMs, surroundings.interrupt)
  }
}

/** A run that is still at work is followed to its end. */
async function deliveredRun(
  { surroundings, output }: Command,
  runsDir: string,
  id: string,
): Promise<Parameters<typeof watchedRun>> {
  const folder = await findRun(runsDir, id)
  const state = await stateOf(folder)
  if (state.status !== 'running') return [folder, state]
  for await (const line of followRun(folder, surroundings.interrupt)) {
    const text = terminalLine(line)
    if (text !== undefined) output.line(text)
  }
  return [folder, await stateOf(folder)]
}

interface LookedNow {
  readonly next: NextForRequest
  readonly pull?: PullRequest
}

/** A forge that does not answer is looked at again later; one that refuses ends the watch. */
async function look({ run, runsDir, door, limit }: Watching, isOnly: boolean): Promise<LookedNow> {
  try {
    const pull = await door.forge.pullRequest(run.number)
    const [comments, checks] = pull.state === 'open' ? await heardOf(door.forge, pull) : nothing
    const rounds = await earlierRounds(runsDir, run.number)
    return { pull, next: nextForRequest({ pull, comments, checks }, { ...rounds, limit }) }
  } catch (error) {
    const isPassing =
      error instanceof ForgeError && (error.problem === 'unreachable' || error.problem === 'rate_limited')
    if (isPassing && !isOnly) return { next: { type: 'wait', why: error.message } }
    return asked(Promise.reject(error as Error))
  }
}

const nothing = [[], { state: 'none', failures: [] }] as const

async function heardOf(forge: Forge, { number, commit }: PullRequest) {
  return [await forge.comments(number), await forge.checks(commit)] as const
}

/** The exit code where the watch is over. */
async function follow(watching: Watching, { next, pull }: LookedNow): Promise<number | undefined> {
  switch (next.type) {
    case 'wait':
      return undefined
    case 'merged':
      return merged(watching)
    case 'closed':
      report(watching, 'closed', '')
      return exitCodes.failed
    case 'spent':
      report(watching, 'open', next.why)
      return exitCodes.waiting
    case 'rework':
      return pull && rework(watching, pull, next)
  }
}

/** Documents that were to be archived after the merge are archived now, by a run and a pull request of their own. */
async function merged(watching: Watching): Promise<number> {
  const { command, run, runsDir, door } = watching
  if (run.values['archive'] !== 'after_merge') return report(watching, 'merged', '')
  const { outside } = door
  const outcome = await archiveRun(command.surroundings, { run, runsDir, outside, deliver: 'pr' })
  return outcome ? reportEnd(command.output, outcome.end, outcome) : report(watching, 'merged', '')
}

/** A round that a person is needed in ends the watch; after a delivered one the checks run anew. */
async function rework(
  { command, run, door }: Watching,
  pull: PullRequest,
  next: NextForRequest & { readonly type: 'rework' },
): Promise<number | undefined> {
  const { surroundings, output } = command
  const things = next.heard.length === 1 ? '1 thing' : `${next.heard.length} things`
  output.line(`Pull request #${run.number}: ${things} to do. A round of rework begins.`)
  const { base, ...sourced } = await reworkOf(door.outside, pull, next)
  const { values, settings, script } = run
  const closes = textOf(values['closes'])
  const outcome = await startRun(surroundings, {
    ...sourced,
    ...{ task: textOf(values['task']), inputs: {}, continues: run.folder.id },
    // What the first run was asked for is still what the pull request is about.
    source: { url: textOf(values['source']) || pull.url, ...(closes === '' ? {} : { closes }) },
    flags: {
      workflow: run.workflow,
      provider: settings.provider,
      model: settings.model,
      deliver: 'pr',
      base,
    },
    ...(script === undefined ? {} : { script }),
  })
  if (outcome.end.exitCode === exitCodes.delivered) return undefined
  return reportEnd(output, outcome.end, outcome)
}

function report({ command, run }: Watching, state: PullRequest['state'], why: string): number {
  const { number, url, folder } = run
  const text =
    why === '' ? `Pull request #${number} is ${state}.` : `Pull request #${number} is open: ${why}.`
  command.output.result(`${text}\n${url}`, { run: folder.id, pull_request: number, url, state, why })
  return 0
}

function roundsOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new FailureError({
    code: 'watch.rounds',
    message: `--rounds takes a whole number, but was given '${text}'.`,
    next: 'baton watch 12 --rounds 3',
  })
}
