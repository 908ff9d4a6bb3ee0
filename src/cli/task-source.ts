import type { SettingsFlags } from '../config/gather-settings.ts'
import { readIfFile } from '../config/find-files.ts'
import type { Forge, PullRequest } from '../forge/forge.ts'
import { nextForRequest } from '../forge/next-for-request.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { readableText } from '../model/outside-text.ts'
import { asked, openDoor } from './forge-door.ts'
import { reworkOf } from './rework.ts'
import type { Sourced } from './rework.ts'
import type { Surroundings } from './workbench.ts'

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
  const comments = await asked(forge.comments(pull.number))
  const { failures } = await asked(forge.checks(pull.commit))
  const news = nextForRequest(
    { pull, comments, checks: { state: failures.length === 0 ? 'passed' : 'failed', failures } },
    { heard: new Set(), count: 0, limit: 1 },
  )
  if (news.type !== 'rework') throw nothingToDo(pull)
  return reworkOf(outside, pull, news)
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
