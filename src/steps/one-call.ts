import { join } from 'node:path'
import type { Attempt } from '../model/durable.ts'
import type { JsonObject } from '../model/json.ts'
import type { ModelChoice } from '../model/model-choice.ts'
import { unknownResetMs } from '../model/quota.ts'
import type { AgentStep } from '../model/workflow.ts'
import { treeIdOf } from '../git/commit-tree-id.ts'
import { keepLeftovers } from '../git/leftovers.ts'
import { beginTree } from '../git/look-ahead.ts'
import type { PrivateDir } from '../git/private-dir.ts'
import { readNotes } from '../journal/notes.ts'
import { instantOf } from '../platform/clock.ts'
import { ensureDirectory, readTextIfPresent } from '../platform/files.ts'
import type { Spoken, Told } from './agent-call.ts'
import { repairPrompt } from './build-prompt.ts'
import { builtInValues } from './built-in-values.ts'
import { callAgent, dropExit, endLeftovers, hasBegun, hasCompleteAnswer } from './call-agent.ts'
import { castRole, earlierCast, nobodyBefore, playedBy } from './cast-role.ts'
import { collectFacts } from './collect-facts.ts'
import { backToStart, takeEdits } from './take-edits.ts'
import type { Conversation, Round } from './conversation.ts'
import { conflictsFile, stillThere, writeInputFiles } from './input-files.ts'
import type { CallResult } from './next-call.ts'
import { isOwnSideThere, mergeUnderWay, openOwnSide, privateNameOf, tipOf } from './own-side.ts'
import { projectInstructions } from './project-instructions.ts'
import { promptFor, scopeOf, writesOf } from './prompt-for.ts'
import { verdictOf } from './validate-answer.ts'
import { stepFolder } from './workplace.ts'
import { noteArtifacts } from './written-files.ts'

/** One call of the agent in its own side of the repository; afterwards, what it said and what it really did. */
export async function oneCall(
  conversation: Conversation,
  round: Round,
  attempt: Attempt,
): Promise<CallResult> {
  const dir = callFolder(conversation, round.call)
  const complete = await hasUsableAnswer(conversation, round, dir)
  const casting = { ...conversation, tip: conversation.start.tip, dir }
  const cast = complete ? await earlierCast(casting) : await castRole(casting)
  if ('until' in cast) return nobodyBefore(cast.until, conversation.request.step.role.provider)
  const result = await play(
    { ...conversation, request: playedBy(conversation.request, cast) },
    { round, dir, complete, choice: cast.choice },
    attempt,
  )
  if (result.type === 'error' && result.error === 'quota') {
    const { clock, quotas } = conversation.site
    quotas.set(cast.provider, result.resetsAt ?? instantOf(clock) + unknownResetMs)
  }
  const { model } = cast.choice
  return { ...result, by: { provider: cast.provider, ...(model === undefined ? {} : { model }) } }
}

interface Playing {
  readonly round: Round
  readonly dir: string
  /** The answer is on disk already: nothing is started. */
  readonly complete: boolean
  readonly choice: ModelChoice
}

async function play(conversation: Conversation, playing: Playing, attempt: Attempt): Promise<CallResult> {
  const { round, dir, complete } = playing
  const openingDir = callFolder(conversation, round.opening)
  if (await hasBegun(dir)) await endLeftovers(conversation.site, dir)
  if (!complete) await clearTheWay(conversation, round, dir)
  // The engine may have been killed while it wrote the files of this answer: it writes them again, all of them.
  else if (conversation.request.step.role.edits === 'engine') await backToStart(conversation)
  const isNew = round.problem === undefined && !complete
  const own = await openOwnSide(conversation, round, isNew)
  try {
    const conflicts = isNew
      ? await mergeUnderWay(conversation, own)
      : await readTextIfPresent(conflictsFile(openingDir))
    if (isNew) await noteBeginning(conversation, openingDir)
    const ended = once(() => lookAfter(conversation, own))
    const handing = { ...playing, gitDir: own.path, conflicts, onEnded: () => void ended() }
    const spoken = await speakWith(conversation, handing, attempt)
    const tip = await ended()
    if (spoken.type === 'error') return spoken
    const { usage, ...said } = spoken
    const used = usage === undefined ? {} : { usage }
    if (typeof tip !== 'string') return { ...tip, ...used }
    return { ...(await judgeCall(conversation, { spoken: said, tip, own, openingDir })), ...used }
  } finally {
    await own.close()
  }
}

/** An answer is worth nothing without the side of the repository that it was given in: then the worktree was lost. */
async function hasUsableAnswer({ site, request }: Conversation, round: Round, dir: string): Promise<boolean> {
  return (await hasCompleteAnswer(dir)) && isOwnSideThere(site, privateNameOf(request.key, round.opening))
}

function callFolder({ site, request }: Conversation, call: number): string {
  return join(stepFolder(site.folder, request.key), `call-${call}`)
}

/** What the agent will be measured by is written down before it starts. */
async function noteBeginning({ site, request }: Conversation, dir: string): Promise<void> {
  await ensureDirectory(dir)
  await noteArtifacts(
    site,
    dir,
    writesOf(request).map(({ path }) => path),
  )
}

/** While its answer is read, git looks at all that the agent has left. */
async function lookAfter({ site, start }: Conversation, own: PrivateDir): ReturnType<typeof tipOf> {
  await own.close()
  beginTree(site.task)
  void treeIdOf(site.repo, start.tip)
  return tipOf(own)
}

/** Asked for by whoever comes first, and answered once. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= ask()
    // Whoever waits for it hears of a failure; who only asked early need not.
    answer.catch(() => undefined)
    return answer
  }
}

type Handing = Playing & {
  readonly gitDir: string
  readonly conflicts: string | undefined
  readonly onEnded: () => void
}

async function speakWith(
  { site, request, start }: Conversation,
  at: Handing,
  attempt: Attempt,
): Promise<Told> {
  const { round, dir, gitDir, conflicts, complete, choice } = at
  const reads = await stillThere(site, request)
  const handed = { reads, tip: start.tip, dir }
  const files = await writeInputFiles(site, conflicts === undefined ? handed : { ...handed, conflicts })
  try {
    const notes = await readNotes(site.folder)
    const looked = await builtInValues(site, request, start.tip)
    if (looked.type === 'refused') return { type: 'error', error: 'refused', detail: looked.reason }
    const given = { ...request, reads, values: { ...request.values, ...looked.values } }
    const instructions = await projectInstructions(site)
    const whole = promptFor({ site, request: given, start, inputs: files.inputs, instructions, notes })
    const prompt = round.problem === undefined ? whole : repairPrompt(whole, round.problem)
    const values = { ...request.values, writes: writesOf(request)[0]?.path ?? '', call: round.call }
    const { step, visit, deadline, runDeadline } = request
    const timeLeft =
      deadline === undefined ? {} : { timeLeftMs: Math.max(1, deadline - instantOf(site.clock)) }
    const limits = { ...timeLeft, ...(runDeadline === undefined ? {} : { runDeadline }) }
    // Before git looks: where the project does not ignore them, they would be taken for the agent's work.
    const onEnded = (): void => void files.remove().then(at.onEnded, () => undefined)
    const call = { key: request.key, visit, call: round.call, dir, gitDir, choice, onEnded }
    const asked = { site, step, ...call, prompt, values, complete, ...limits }
    return await callAgent(asked, attempt)
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
    readonly openingDir: string
  },
): Promise<CallResult> {
  const { step } = request
  const { spoken, tip, own } = call
  // Where the engine writes the files of the answer, the agent itself writes none.
  const mayWrite = step.role.edits === 'engine' ? [] : scopeOf(request)
  const wanted = { step, start, writes: writesOf(request), mayWrite, key: request.key, dir: call.openingDir }
  const found = await collectFacts(site, wanted)
  if (found.type === 'out_of_scope') return found
  if (spoken.type === 'invalid') return spoken
  if (step.role.edits === 'engine') return takeEdits({ site, request, start }, { spoken, tip, wanted })
  if (found.missing.length > 0 && !givesUp(step, spoken.answer))
    return { type: 'invalid', problem: missingArtifacts(found.missing), missing: found.missing }
  // Commits of a role that does not commit are dropped from the branch, not from the world.
  if (step.role.commits === 'engine' && tip !== start.tip) await keepLeftovers(site.task, own)
  const repaired = spoken.repaired ? ({ repaired: true } as const) : {}
  return { type: 'answered', answer: spoken.answer, facts: { ...found.facts, tip }, ...repaired }
}

/** Before a process is started: nothing of an earlier one lives, and a new try begins where the step began. */
async function clearTheWay({ site, request, start }: Conversation, round: Round, dir: string): Promise<void> {
  await dropExit(dir)
  const isFirst = round.call === 1 && request.mergeHead === undefined && !(await hasBegun(dir))
  if (round.problem !== undefined || isFirst) return
  await backToStart({ site, request, start })
}

/** Who cannot do the work owes a reason, which the answer holds, but no report of work done. */
function givesUp({ role }: AgentStep, answer: JsonObject): boolean {
  const { outcome } = verdictOf(role, answer)
  return outcome === 'failed' || outcome === 'blocked'
}

function missingArtifacts(paths: readonly string[]): string {
  const named = paths.map((path) => `'${path}'`).join(', ')
  return `FORMAT asks for ${named}, but that file was not written in this step.`
}
