import { join } from 'node:path'
import type { Attempt } from '../model/durable.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import { keepLeftovers } from '../git/leftovers.ts'
import { mergeBase } from '../git/merge.ts'
import { openPrivateDir } from '../git/private-dir.ts'
import type { PrivateDir } from '../git/private-dir.ts'
import { restoreTree } from '../git/restore.ts'
import { repairPrompt } from './build-prompt.ts'
import { callAgent, endLeftovers, hasBegun, hasCompleteAnswer } from './call-agent.ts'
import type { Spoken } from './call-agent.ts'
import { collectFacts } from './collect-facts.ts'
import { writeInputFiles } from './input-files.ts'
import type { CallResult } from './next-call.ts'
import { mergeMessage } from './messages.ts'
import { promptFor, scopeOf, writesOf } from './prompt-for.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Validate } from './validate-answer.ts'
import { engineAuthor, stepFolder } from './workplace.ts'
import type { Site } from './workplace.ts'

export interface Conversation {
  readonly site: Site
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly start: StartingPoint
  readonly validate: Validate
}

export interface Round {
  readonly call: number
  /** The call that opened the private git directory which this one works in: a repair goes on in the same one. */
  readonly opening: number
  readonly problem: string | undefined
}

/** One call of the agent in its own side of the repository; afterwards, what it said and what it really did. */
export async function oneCall(
  conversation: Conversation,
  round: Round,
  attempt: Attempt,
): Promise<CallResult> {
  const { site, request } = conversation
  const dir = join(stepFolder(site.folder, request.key), `call-${round.call}`)
  const complete = await hasCompleteAnswer(dir)
  if (!complete) await clearTheWay(conversation, round, dir)
  const isNew = round.problem === undefined && !complete
  const own = await openOwnSide(conversation, round, isNew)
  try {
    const conflicts = isNew ? await mergeUnderWay(conversation, own) : undefined
    const spoken = await speakWith(conversation, { round, dir, conflicts }, attempt)
    const tip = await own.tip()
    await own.close()
    if (spoken.type === 'error') return spoken
    return await judgeCall(conversation, { spoken, tip, own })
  } finally {
    await own.close()
  }
}

async function openOwnSide(
  { site, request, start }: Conversation,
  round: Round,
  isNew: boolean,
): Promise<PrivateDir> {
  const identity = site.repo.identity ?? engineAuthor
  return openPrivateDir(site.task, {
    ...{ name: privateNameOf(request.key, round.opening), tip: start.tip, identity, reuse: !isNew },
    ...(request.mergeHead === undefined ? {} : { mergeHead: request.mergeHead }),
  })
}

async function speakWith(
  { site, request, start, validate }: Conversation,
  at: { readonly round: Round; readonly dir: string; readonly conflicts: string | undefined },
  attempt: Attempt,
): Promise<Spoken> {
  const { round, dir, conflicts } = at
  const handed = { reads: request.reads, tip: start.tip, dir }
  const files = await writeInputFiles(site, conflicts === undefined ? handed : { ...handed, conflicts })
  try {
    const whole = promptFor({ site, request, start, inputs: files.inputs })
    const prompt = round.problem === undefined ? whole : repairPrompt(whole, round.problem)
    const values = { ...request.values, writes: writesOf(request)[0]?.path ?? '', call: round.call }
    const { step, visit, deadline } = request
    const asked = { site, step, visit, call: round.call, dir, prompt, values, validate }
    if (deadline === undefined) return await callAgent(asked, attempt)
    return await callAgent(
      { ...asked, timeLeftMs: Math.max(1, deadline - site.clock.now().getTime()) },
      attempt,
    )
  } finally {
    await files.remove()
  }
}

async function judgeCall(
  { site, request, start }: Conversation,
  call: {
    readonly spoken: Spoken & { type: 'answered' | 'invalid' }
    readonly tip: string
    readonly own: PrivateDir
  },
): Promise<CallResult> {
  const { step } = request
  const { spoken, tip, own } = call
  const wanted = { step, start, writes: writesOf(request), mayWrite: scopeOf(request) }
  const found = await collectFacts(site, { ...wanted, startedAtMs: Date.parse(start.at) })
  if (found.type === 'out_of_scope') return found
  if (spoken.type === 'invalid') return spoken
  if (found.missing.length > 0) return { type: 'invalid', problem: missingArtifacts(found.missing) }
  // Commits of a role that does not commit are dropped from the branch, not from the world.
  if (step.role.commits === 'engine' && tip !== start.tip) await keepLeftovers(site.task, own)
  return { type: 'answered', answer: spoken.answer, facts: { ...found.facts, tip } }
}

/** Before a process is started: nothing of an earlier one lives, and a new try begins where the step began. */
async function clearTheWay({ site, request, start }: Conversation, round: Round, dir: string): Promise<void> {
  const begun = await hasBegun(dir)
  if (begun) await endLeftovers(site, dir)
  if (round.problem !== undefined || (round.call === 1 && !begun)) return
  const message = `${request.step.role.title}: ${request.step.id}, before another try\n`
  await restoreTree(site.task, { to: start.tree, message, date: start.at })
}

/** The role that may merge finds the merge under way, with its conflicts, as git left it. */
async function mergeUnderWay(
  { site, request, start }: Conversation,
  own: PrivateDir,
): Promise<string | undefined> {
  if (request.mergeHead === undefined) return undefined
  const merge = await mergeBase(site.task, {
    ...{ private: own, base: request.mergeHead, author: site.repo.identity ?? engineAuthor, date: start.at },
    message: mergeMessage(site),
  })
  return merge.type === 'conflict' ? `In conflict:\n${merge.paths.join('\n')}\n\n${merge.text}` : undefined
}

function missingArtifacts(paths: readonly string[]): string {
  const named = paths.map((path) => `'${path}'`).join(', ')
  return `FORMAT asks for ${named}, but that file was not written in this step.`
}

/** The private git directory of a call and its repairs, by name. */
export function privateNameOf(key: string, opening: number): string {
  return `${privatePrefix(key)}${opening}`
}

/** What the names of all private git directories of a step's visit begin with. */
export function privatePrefix(key: string): string {
  return `${key.replaceAll(/[^\w.-]/g, '.')}-`
}
