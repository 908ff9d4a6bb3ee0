import { join } from 'node:path'
import type { AgentError, Provider } from '../model/agent.ts'
import { TimeUsedUpError } from '../model/durable.ts'
import type { Attempt } from '../model/durable.ts'
import type { JsonObject } from '../model/json.ts'
import { parseAnswer } from '../agents/parse-answer.ts'
import { instantOf } from '../platform/clock.ts'
import { unlessMissing } from '../platform/errno.ts'
import {
  contentOf,
  ensureDirectory,
  readTail,
  readTextIfPresent,
  sha256Of,
  sha256OfFile,
  writeFileAtomic,
} from '../platform/files.ts'
import type { Mark } from '../platform/mark.ts'
import { runProcess } from '../platform/process.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { killMarked } from '../platform/processes.ts'
import { lstat, rm } from '../platform/quick-files.ts'
import type { AgentStep } from '../model/workflow.ts'
import { answerValidator } from './validate-answer.ts'
import type { Validate } from './validate-answer.ts'
import type { Site } from './workplace.ts'

const largestAnswer = 60_000

export interface AgentCall {
  readonly site: Site
  readonly step: AgentStep
  readonly visit: number
  readonly call: number
  /** Folder of this call: prompt, raw answer, exit code, the provider's home. */
  readonly dir: string
  readonly prompt: string
  readonly values: JsonObject
  /** The answer is on disk already, given to an engine that was killed. */
  readonly complete: boolean
  readonly timeLeftMs?: number
  /** When the whole run has to be done. */
  readonly runDeadline?: number
}

export type Spoken =
  | { readonly type: 'answered'; readonly answer: JsonObject; readonly repaired: boolean }
  | { readonly type: 'invalid'; readonly problem: string }
  | { readonly type: 'error'; readonly error: AgentError; readonly detail: string }

/** Whether a complete answer of this call is on disk already: then it is used, and not paid for twice. */
export async function hasCompleteAnswer(dir: string): Promise<boolean> {
  return (await readTextIfPresent(filesOf(dir).exit)) !== undefined
}

export async function hasBegun(dir: string): Promise<boolean> {
  return (await unlessMissing(lstat(filesOf(dir).prompt))) !== undefined
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
export async function callAgent(call: AgentCall, attempt: Attempt): Promise<Spoken> {
  const files = filesOf(call.dir)
  const end = call.complete ? await recordedEnd(files.exit) : await startAgent(call, attempt)
  attempt.signal.throwIfAborted()
  const bytes = (await unlessMissing(lstat(files.answer)))?.size ?? 0
  await attempt.note({
    type: 'agent.finished',
    role: call.step.role.title,
    data: {
      ...{ step: call.step.id, call: call.call, end: endWord(end), bytes },
      answer: { path: files.answer, sha256: await digestOf(files.answer) },
    },
  })
  const failed = await failureOf(end, call)
  return failed ?? parse(call)
}

async function startAgent(call: AgentCall, attempt: Attempt): Promise<ProcessEnd> {
  const { site, step, dir } = call
  const files = filesOf(dir)
  await ensureDirectory(files.home)
  await writeFileAtomic(files.prompt, call.prompt)
  const provider = site.provider(step.role.provider)
  const { argv, env } = await commandOf(provider, call)
  const prompt = { path: files.prompt, sha256: sha256Of(call.prompt) }
  const model = step.role.model ?? ''
  const about = { step: step.id, visit: call.visit, call: call.call, provider: provider.name, model, prompt }
  await attempt.note({ type: 'agent.started', role: step.role.title, data: about })
  const { wallMs, idleMs } = step.role.timeout
  const { end } = await runProcess({
    ...{ argv, env, cwd: site.task.worktree, signal: attempt.signal },
    ...{ stdinFile: files.prompt, stdoutFile: files.answer, stderrFile: files.errors, exitFile: files.exit },
    ...{ wallMs: Math.min(wallMs, call.timeLeftMs ?? wallMs), idleMs, mark: markOf(site, dir) },
    // While the agent works there is time to compile what its answer will be held against.
    onStarted: async () => void (await validatorOf(call)),
  })
  if (end.type === 'exited') return end
  // Only a process that ended by itself gave an answer; a killed one must not look like it later.
  await rm(files.exit, { force: true })
  return end
}

function commandOf(provider: Provider, { site, step, dir, visit, call, values }: AgentCall) {
  const files = filesOf(dir)
  const { role } = step
  const schema = role.output === undefined ? undefined : site.schemas[role.output]
  return provider.command({
    ...{ role: role.name, title: role.title, step: step.id, visit, call, capabilities: role.capabilities },
    ...{ worktree: site.task.worktree, home: files.home, promptFile: files.prompt, env: site.ports, values },
    ...(role.model === undefined ? {} : { model: role.model }),
    ...(schema === undefined ? {} : { answerSchema: schema }),
  })
}

function validatorOf({ site, step: { role } }: AgentCall): Promise<Validate> {
  return answerValidator(role, role.output === undefined ? undefined : site.schemas[role.output])
}

async function parse(call: AgentCall): Promise<Spoken> {
  const { answer } = filesOf(call.dir)
  const parsed = await parseAnswer(contentOf(answer), await validatorOf(call), call.step.role.answer)
  if (parsed.type === 'answer') return fitting(parsed.value, parsed.repaired)
  return { type: 'invalid', problem: parsed.problem }
}

/** The answer is kept in the journal, whose values are small; long texts belong into files. */
function fitting(answer: JsonObject, repaired: boolean): Spoken {
  const { length } = JSON.stringify(answer)
  if (length <= largestAnswer) return { type: 'answered', answer, repaired }
  return {
    type: 'invalid',
    problem: `the JSON object has ${length} characters, at most ${largestAnswer} are taken: put long texts into a file`,
  }
}

async function failureOf(end: ProcessEnd, call: AgentCall): Promise<Spoken | undefined> {
  const { role } = call.step
  switch (end.type) {
    case 'exited':
      if (end.code === 0) return undefined
      return badExit(call, end.code)
    case 'signalled':
      return crash(`the agent was ended by ${end.signal}${await lastComplaint(call)}`)
    case 'aborted':
      return crash('the agent was stopped')
    case 'idle':
      return {
        type: 'error',
        error: 'idle',
        detail: `the agent printed nothing for ${role.timeout.idleMs / 1000} s`,
      }
    case 'timeout':
      return tookTooLong(call)
    case 'not_found':
      return { type: 'error', error: 'not_found', detail: `Command '${end.command}' not found` }
  }
}

function tookTooLong({ site, step, timeLeftMs, runDeadline }: AgentCall): Spoken {
  const { wallMs } = step.role.timeout
  // Thrown, so that nothing is recorded: with more time the call is made again.
  if (runDeadline !== undefined && instantOf(site.clock) >= runDeadline) throw new TimeUsedUpError()
  if (timeLeftMs !== undefined && timeLeftMs < wallMs) {
    return { type: 'error', error: 'time', detail: 'the time for this step is used up' }
  }
  return { type: 'error', error: 'timeout', detail: `the agent took longer than ${wallMs / 1000} s` }
}

async function badExit(call: AgentCall, code: number): Promise<Spoken> {
  const detail = `the agent ended with exit code ${code}${await lastComplaint(call)}`
  const isFinal = call.site.provider(call.step.role.provider).finalExitCodes?.includes(code) === true
  return isFinal ? { type: 'error', error: 'refused', detail } : crash(detail)
}

function crash(detail: string): Spoken {
  return { type: 'error', error: 'crash', detail }
}

async function lastComplaint({ dir }: AgentCall): Promise<string> {
  const tail = (await readTail(filesOf(dir).errors, 500)).trim().split('\n').at(-1) ?? ''
  return tail === '' ? '' : `: ${tail}`
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

function markOf(site: Site, dir: string): Mark {
  return { owner: site.folder.dir, name: dir }
}

function filesOf(dir: string) {
  return {
    prompt: join(dir, 'prompt.md'),
    answer: join(dir, 'answer.txt'),
    errors: join(dir, 'errors.txt'),
    exit: join(dir, 'exit.json'),
    home: join(dir, 'home'),
  }
}
