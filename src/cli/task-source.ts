import { ForgeError } from '../forge/forge.ts'
import type { Forge, PullRequest } from '../forge/forge.ts'
import { feedbackText } from '../forge/feedback-text.ts'
import { isOwnBody } from '../forge/request-body.ts'
import { loadSettings } from '../config/load-settings.ts'
import type { SettingsFlags } from '../config/load-settings.ts'
import { fetchBranch } from '../git/remote.ts'
import { resolveCommit } from '../git/repository.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { readableText } from '../model/outside-text.ts'
import { readIfFile } from '../config/find-files.ts'
import type { Outside } from '../steps/workplace.ts'
import { openOutside } from './outside.ts'
import { openProject } from './project.ts'
import type { RunRequest } from './start-run.ts'
import type { Surroundings } from './workbench.ts'

/** What a task from a forge brings along. */
export type Sourced = Pick<RunRequest, 'task' | 'source' | 'pr' | 'from' | 'feedback' | 'mode'> & {
  readonly base?: string
}

/** The text of an issue: data for the agents, marked as such in every prompt. */
export async function taskFromIssue(
  surroundings: Surroundings,
  wanted: string,
  flags: SettingsFlags,
): Promise<Sourced> {
  const { forge } = await openDoor(surroundings, flags)
  const number = numberIn(wanted, forge, /\/(?:issues|work_items)\/(\d+)/)
  const issue = await asked(forge.issue(number))
  const task = [issue.title, issue.text].map(readableText).join('\n\n').trim()
  return { task, source: { url: issue.url, closes: `#${issue.number}` } }
}

/** An open pull request: what was said about it is the feedback of a new round on its own branch. */
export async function taskFromPullRequest(
  surroundings: Surroundings,
  wanted: string,
  flags: SettingsFlags,
): Promise<Sourced> {
  const { forge, outside } = await openDoor(surroundings, flags)
  const pull = await asked(
    forge.pullRequest(numberIn(wanted, forge, /\/(?:pull|pulls|merge_requests)\/(\d+)/)),
  )
  refuseUnfit(pull)
  const feedback = await asked(feedbackOn(forge, pull))
  if (feedback === '') throw nothingToDo(pull)
  return {
    ...(await reworkOf(outside, pull)),
    feedback: [{ from: `pull request #${pull.number}`, text: feedback, paths: [] }],
  }
}

async function feedbackOn(forge: Forge, { number, commit }: PullRequest): Promise<string> {
  return feedbackText(await forge.comments(number), await forge.checks(commit))
}

/** What a run needs in order to go on with the branch of a pull request. */
async function reworkOf(outside: Outside, pull: PullRequest): Promise<Sourced> {
  const { number, branch, commit, base, url, title, text } = pull
  const fetched = await fetchBranch(outside.git, { branch, into: `refs/baton/incoming/${number}` })
  if (fetched.type === 'failed') throw unreachable(pull, fetched.why)
  const isOurs = isOwnBody(text)
  const tracking = `${outside.git.remote}/${base}`
  const known = await resolveCommit(outside.git.repo, `refs/remotes/${tracking}`)
  return {
    task: [title, isOurs ? '' : text].map(readableText).join('\n\n').trim(),
    source: { url },
    from: fetched.value,
    pr: {
      number,
      branch,
      commit: fetched.value === commit ? commit : fetched.value,
      base,
      url,
      is_ours: isOurs,
    },
    mode: 'rework',
    base: known === undefined ? base : tracking,
  }
}

async function openDoor(
  surroundings: Surroundings,
  flags: SettingsFlags,
): Promise<{ readonly forge: Forge; readonly outside: Outside }> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const { settings } = await loadSettings({ layers: project.layers, flags, env: surroundings.env })
  const outside = openOutside(project.repo, settings, surroundings)
  const opened = await outside.forge(surroundings.interrupt)
  if (opened.type === 'open') return { forge: opened.forge, outside }
  throw new FailureError({
    code: 'forge.none',
    message: `No forge can be asked: ${opened.why}.`,
    next: opened.type === 'closed' ? opened.next.replace(/, then: .*/, '') : 'git remote --verbose',
  })
}

/** `12`, `#12`, or the address of its page; a page of another repository is not ours to work on. */
function numberIn(wanted: string, { repository, name }: Forge, page: RegExp): number {
  const plain = /^#?(\d{1,12})$/.exec(wanted.trim())?.[1]
  const isHere = wanted.toLowerCase().includes(`/${repository.toLowerCase()}/`)
  const number = plain ?? (isHere ? page.exec(wanted)?.[1] : undefined)
  if (number !== undefined) return Number(number)
  throw new FailureError({
    code: 'task.reference',
    message: `'${wanted}' names nothing in ${repository} at ${name}.`,
    next: 'Give its number, for example: baton run --issue 12',
  })
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    const next = error.next.replace(/, then: baton resume$/, ', then type the command again')
    throw new FailureError({
      code: 'forge.refused',
      message: `${error.message}.`,
      next,
      exitCode: exitCodes.failed,
    })
  }
}

function refuseUnfit({ number, state, isOwnBranch }: PullRequest): void {
  if (state === 'open' && isOwnBranch) return
  throw new FailureError({
    code: 'pr.unfit',
    message:
      state === 'open'
        ? `The branch of pull request #${number} lies in somebody's own copy of the repository, where nothing can be pushed.`
        : `Pull request #${number} is ${state}.`,
    next: 'baton run "<what you want done>"',
  })
}

function nothingToDo({ number }: PullRequest): FailureError {
  return new FailureError({
    code: 'pr.silent',
    message: `Nobody has said anything about pull request #${number}, and no check has failed.`,
    next: `baton run --pr ${number} once there is something to do`,
    exitCode: exitCodes.failed,
  })
}

function unreachable({ branch }: PullRequest, why: string): FailureError {
  return new FailureError({
    code: 'pr.unfetched',
    message: `The branch '${branch}' could not be fetched: ${why}`,
    next: 'git fetch   (once that works, the same command again)',
    exitCode: exitCodes.failed,
  })
}

/** A file of the user's own, wherever it lies. */
export async function taskFromFile(file: string): Promise<string> {
  const text = await readIfFile(file)
  if (text !== undefined && text.length <= 2_000_000 && !text.includes('\0')) return text.trim()
  throw new FailureError({
    code: 'task.file',
    message:
      text === undefined ? `There is no file '${file}'.` : `'${file}' is no text, or longer than 2 MB.`,
    next: 'baton run --file task.md',
  })
}
