import type { Attempt } from '../model/durable.ts'
import type { JsonObject } from '../model/json.ts'
import { parseAnswer } from '../agents/parse-answer.ts'
import { unlessMissing } from '../platform/errno.ts'
import { contentOf, readTextIfPresent, sha256OfFile } from '../platform/files.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { killMarked } from '../platform/processes.ts'
import { lstatIfThere, rm } from '../platform/quick-files.ts'
import { filesOf, markOf } from './agent-call.ts'
import { withCost } from '../model/usage.ts'
import type { Usage } from '../model/usage.ts'
import type { AgentCall, Spoken, Told } from './agent-call.ts'
import { withoutContents } from './apply-edits.ts'
import { failureOf } from './call-failure.ts'
import { playBack } from './play-back.ts'
import { hearAgain, startAgent, validatorOf } from './start-agent.ts'
import type { AgentRun } from './start-agent.ts'
import type { Site } from './workplace.ts'

const largestAnswer = 60_000

/** Whether a complete answer of this call is on disk already: then it is used, and not paid for twice. */
export async function hasCompleteAnswer(dir: string): Promise<boolean> {
  // Whoever wrote it may have been killed before its first byte, and a power cut may leave others.
  return /^\{"code":\d+\}$/.test(((await readTextIfPresent(filesOf(dir).exit)) ?? '').trim())
}

export async function hasBegun(dir: string): Promise<boolean> {
  return (await lstatIfThere(filesOf(dir).prompt)) !== undefined
}

/** What an agent's wrapper wrote while it was being killed is not its answer. */
export async function dropExit(dir: string): Promise<void> {
  await rm(filesOf(dir).exit, { force: true })
}

/** Ends whatever an engine that was killed left running of this call. */
export async function endLeftovers(site: Site, dir: string): Promise<void> {
  await killMarked(markOf(site, dir))
}

/** One process of a provider: prompt in, raw answer to a file, parsed and validated. */
export async function callAgent(call: AgentCall, attempt: Attempt): Promise<Told> {
  const files = filesOf(call.dir)
  const run = await runOf(call, attempt)
  const { end } = run
  attempt.signal.throwIfAborted()
  call.onEnded()
  const used = usageOf(run, call)
  const bytes = (await lstatIfThere(files.answer))?.size ?? 0
  await attempt.note({
    type: 'agent.finished',
    role: call.step.role.title,
    data: {
      ...{ step: call.step.id, at: call.key, call: call.call, end: endWord(end), bytes },
      ...used,
      ...(run.heard?.model === undefined ? {} : { model: run.heard.model }),
      answer: { path: files.answer, sha256: await digestOf(files.answer) },
      ...(run.decided ? { tools: { ...run.decided } } : {}),
    },
  })
  const failed = await failureOf(run, call)
  return { ...(failed ?? (await parse(call))), ...used }
}

async function runOf(call: AgentCall, attempt: Attempt): Promise<AgentRun> {
  const { recording } = call.site
  if (recording) return playBack(call, recording)
  if (!call.complete) return startAgent(call, attempt)
  return hearAgain(call, await recordedEnd(filesOf(call.dir).exit))
}

function usageOf({ heard }: AgentRun, { site, step }: AgentCall): { readonly usage?: Usage } {
  if (!heard?.usage) return {}
  const model = step.role.model ?? heard.model ?? ''
  return { usage: withCost(heard.usage, site.settings.prices[model]) }
}

async function parse(call: AgentCall): Promise<Spoken> {
  const { answer } = filesOf(call.dir)
  const parsed = await parseAnswer(contentOf(answer), await validatorOf(call), call.step.role.answer)
  if (parsed.type === 'answer') return fitting(parsed.value, parsed.repaired, call)
  return { type: 'invalid', problem: parsed.problem }
}

/** The answer is kept in the journal, whose values are small; long texts belong into files. */
function fitting(answer: JsonObject, repaired: boolean, { step }: AgentCall): Spoken {
  const { length } = JSON.stringify(step.role.edits === 'engine' ? withoutContents(answer) : answer)
  if (length <= largestAnswer) return { type: 'answered', answer, repaired }
  return {
    type: 'invalid',
    problem: `the JSON object has ${length} characters, at most ${largestAnswer} are taken: put long texts into a file`,
  }
}

async function recordedEnd(file: string): Promise<ProcessEnd> {
  const { code } = JSON.parse((await readTextIfPresent(file)) ?? '{"code":1}') as { code: number }
  return { type: 'exited', code }
}

function endWord(end: ProcessEnd): string {
  return end.type === 'exited' ? `exit ${end.code}` : end.type
}

async function digestOf(file: string): Promise<string> {
  return (await unlessMissing(sha256OfFile(file))) ?? ''
}
