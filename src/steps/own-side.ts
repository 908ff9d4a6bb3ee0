// The agent's own side of the repository: a private git directory for a call and its repairs.
import { FailureError } from '../model/failure.ts'
import { engineAuthor } from '../git/commit.ts'
import { mergeBase } from '../git/merge.ts'
import { draftPrivateDir, openPrivateDir, privateDirPath } from '../git/private-dir.ts'
import type { PrivateDir } from '../git/private-dir.ts'
import type { Person } from '../git/user-settings.ts'
import { sha256Of } from '../platform/files.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import type { Conversation, Round } from './conversation.ts'
import { mergeMessage } from './messages.ts'
import type { CallResult } from './next-call.ts'
import type { Site } from './workplace.ts'

/** For the next step, before it is known which one that is and where it begins. */
export async function draftSide(site: Site): Promise<void> {
  await draftPrivateDir(site.task, identityIn(site))
}

function identityIn({ repo }: Site): Person {
  return repo.identity ?? engineAuthor
}

export async function openOwnSide(
  { site, request, start }: Conversation,
  round: Round,
  isNew: boolean,
): Promise<PrivateDir> {
  const identity = identityIn(site)
  return openPrivateDir(site.task, {
    ...{ name: privateNameOf(request.key, round.opening), tip: start.tip, identity, reuse: !isNew },
    ...(request.mergeHead === undefined ? {} : { mergeHead: request.mergeHead }),
  })
}

export async function isOwnSideThere({ task }: Site, name: string): Promise<boolean> {
  return (await lstatIfThere(privateDirPath(task, name))) !== undefined
}

/** An agent that renamed or removed its branch has no result; another try gets a new side of the repository. */
export async function tipOf(own: PrivateDir): Promise<string | (CallResult & { type: 'error' })> {
  try {
    return await own.tip()
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return { type: 'error', error: 'crash', detail: error.message }
  }
}

/** The role that may merge finds the merge under way, with its conflicts, as git left it. */
export async function mergeUnderWay(
  { site, request, start }: Conversation,
  own: PrivateDir,
): Promise<string | undefined> {
  if (request.mergeHead === undefined) return undefined
  const merge = await mergeBase(site.task, {
    ...{ private: own, base: request.mergeHead, author: identityIn(site), date: start.at },
    message: mergeMessage(site),
  })
  return merge.type === 'conflict' ? `In conflict:\n${merge.paths.join('\n')}\n\n${merge.text}` : undefined
}

/** The private git directory of a call and its repairs, by name. */
export function privateNameOf(key: string, opening: number): string {
  return `${privatePrefix(key)}${opening}`
}

const longestName = 120

/** What the names of all private git directories of a step's visit begin with. */
export function privatePrefix(key: string): string {
  const name = key.replaceAll(/[^\w.-]/g, '.')
  // A folder's name has 255 characters at most, and lists inside lists make long keys.
  return name.length <= longestName ? `${name}-` : `${name.slice(0, 60)}.${sha256Of(name).slice(0, 24)}-`
}
