import type { AgentCommand, AgentFailure, Provider } from '../model/agent.ts'
import type { Attempt } from '../model/durable.ts'
import { expand } from '../model/template.ts'
import type { Heard } from '../agents/transcript.ts'
import {
  contentOf,
  ensureDirectory,
  readTextIfPresent,
  replaceFile,
  sha256Of,
  syncDirectory,
  syncFile,
  writeFileAtomic,
} from '../platform/files.ts'
import { runProcess } from '../platform/process.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { rm, writeFile } from '../platform/quick-files.ts'
import { filesOf, markOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'
import { withShim } from './early-words.ts'
import { openGuard } from './guard-call.ts'
import { guarded } from './guard-repository.ts'
import type { Guard } from './guard-call.ts'
import { agentRoom } from './rooms.ts'
import { runInRoom } from './run-in-room.ts'
import { agentNetwork } from './step-network.ts'
import type { StepNetwork } from './step-network.ts'
import { answerValidator } from './validate-answer.ts'
import type { Validate } from './validate-answer.ts'
import { tellEvents, tellLines } from './tell-activity.ts'
import { openToolClock } from './tool-clock.ts'
import type { ToolClock } from './tool-clock.ts'
import { listenTo, toolCallLimit } from './watch-agent.ts'
import type { Listener } from './watch-agent.ts'

export interface AgentRun {
  readonly end: ProcessEnd
  /** What its stream of events came to; absent where the tool has none. */
  readonly heard?: Heard
  /** Why the engine itself stopped it. */
  readonly stopped?: AgentFailure
  /** Whether a tool of the agent's was at work when it ended. */
  readonly inTool?: boolean
  /** What the firewall said to its tool calls; absent where the tool does not ask. */
  readonly decided?: { readonly allowed: number; readonly denied: number }
}

/** Starts the process of one call and listens to it until it has ended. */
export async function startAgent(call: AgentCall, attempt: Attempt): Promise<AgentRun> {
  const files = filesOf(call.dir)
  await ensureDirectory(files.home)
  await replaceFile(files.prompt, call.prompt)
  // That there is one says that the call has begun, and that what is found in the worktree may be the agent's.
  const begun = syncDirectory(call.dir)
  begun.catch(() => undefined)
  // What it says, while the agent works: a power cut before that makes the call anew in any case.
  const onDisk = begun.then(() => syncFile(files.prompt))
  onDisk.catch(() => undefined)
  const ended = await runWithin(call, attempt, begun)
  await onDisk
  return ended
}

async function runWithin(call: AgentCall, attempt: Attempt, begun: Promise<void>): Promise<AgentRun> {
  const { site, step } = call
  const provider = site.provider(step.role.provider)
  const network = await agentNetwork(site, provider, step.role)
  try {
    const guard = provider.hook && (await openGuard(call, provider.hook, attempt))
    try {
      return await guarded(site, attempt, () => listen(call, attempt, { provider, network, guard, begun }))
    } finally {
      await guard?.close()
    }
  } finally {
    network.close()
  }
}

/** Without what there is nothing to say about. */
function ran(facts: { readonly [key in keyof Required<AgentRun>]: AgentRun[key] | undefined }): AgentRun {
  const said = Object.entries(facts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as object as AgentRun
}

interface Ways {
  readonly provider: Provider
  readonly network: StepNetwork
  readonly guard: Guard | undefined
  /** That the call has begun is on the disk; the agent starts afterwards. */
  readonly begun: Promise<void>
}

async function listen(call: AgentCall, attempt: Attempt, ways: Ways): Promise<AgentRun> {
  const { provider, network, guard } = ways
  const files = filesOf(call.dir)
  const command = await commandOf(call, ways)
  await noteStart(call, attempt, provider)
  const clock = openToolClock(call.step.role.timeout)
  const parser = provider.parse?.(files.home)
  const limit = toolCallLimit(provider.name, provider.mostToolCalls)
  const others = [clock.watch, ...(guard ? [guard.watch] : []), ...limit, tellEvents(call)]
  const listener = parser && listenTo(provider.name, { parser, command, others })
  await ways.begun
  const end = await run(call, { command, provider, network, listener, clock, signal: attempt.signal })
  // Only a process that ended by itself gave an answer; a killed one must not look like it later.
  if (end.type !== 'exited') await rm(files.exit, { force: true })
  // Nothing of what an agent did on a full disk counts: here it is said, and the call is made again when there is room.
  else if (!(await readTextIfPresent(files.exit))) await writeFile(files.exit, `{"code":${end.code}}\n`)
  const heard = listener?.end()
  if (heard) await writeFileAtomic(files.answer, heard.answer)
  const stopped = listener?.stopped()
  const decided = guard?.counts()
  return ran({ end, inTool: clock.isInTool(), heard, stopped, decided })
}

/** The same from what a process left behind that had ended before the engine could look, in this folder or another. */
export async function hearAgain(call: AgentCall, end: ProcessEnd, from = call.dir): Promise<AgentRun> {
  const left = filesOf(from)
  const provider = call.site.provider(call.step.role.provider)
  const parser = provider.parse?.(left.home)
  if (!parser) return { end }
  const listener = listenTo(provider.name, { parser })
  for await (const chunk of contentOf(left.stream)) listener.push(chunk)
  const heard = listener.end()
  await writeFileAtomic(filesOf(call.dir).answer, heard.answer)
  return { end, heard }
}

async function noteStart(call: AgentCall, attempt: Attempt, provider: Provider): Promise<void> {
  const { step, dir, visit } = call
  const prompt = { path: filesOf(dir).prompt, sha256: sha256Of(call.prompt) }
  const { model = '', from, complexity } = call.choice
  const about = {
    ...{ step: step.id, at: call.key, visit, call: call.call, provider: provider.name, model },
    ...{ model_from: from, ...(complexity ? { complexity: { ...complexity } } : {}), prompt },
  }
  await attempt.note({ type: 'agent.started', role: step.role.title, data: about })
}

interface Start {
  readonly command: AgentCommand
  readonly provider: Provider
  readonly network: StepNetwork
  readonly listener: Listener | undefined
  readonly clock: ToolClock
  readonly signal: AbortSignal
}

async function run(call: AgentCall, start: Start): Promise<ProcessEnd> {
  const { command, provider, network, listener, signal } = start
  const { site, step, dir } = call
  const files = filesOf(dir)
  const { wallMs } = step.role.timeout
  const request = {
    ...{ argv: command.argv, env: { ...network.env, ...command.env }, cwd: site.task.worktree },
    ...{ stdinFile: command.stdinFile ?? files.prompt, stderrFile: files.errors, exitFile: files.exit },
    ...{ wallMs: Math.min(wallMs, call.timeLeftMs ?? wallMs), mark: markOf(site, dir) },
    idleMs: () => start.clock.limitMs(),
    ...(provider.stopSignal === undefined ? {} : { stopSignal: provider.stopSignal }),
    ...(listener
      ? {
          stdoutFile: files.stream,
          onOutput: listener.push,
          signal: AbortSignal.any([signal, listener.signal]),
        }
      : { stdoutFile: files.answer, signal, ...heardBy(call) }),
    // While the agent works there is time to compile what its answer will be held against.
    onStarted: async () => void (await validatorOf(call)),
  }
  const result =
    provider.hasNoTools === true
      ? await runProcess(request)
      : await runInRoom(site, request, () => agentRoom(call, command, network.doors))
  return result.end
}

function heardBy(call: AgentCall): { onOutput?: (chunk: Buffer) => void } {
  const onOutput = tellLines(call)
  return onOutput ? { onOutput } : {}
}

async function commandOf(call: AgentCall, ways: Ways): Promise<AgentCommand> {
  const command = await askedFor(call, ways)
  return ways.guard ? { ...command, env: withShim(command.env, call) } : command
}

function askedFor(call: AgentCall, { provider, network: { endpoint }, guard }: Ways) {
  const { site, step, dir, visit, values } = call
  const files = filesOf(dir)
  const { role } = step
  const schema = role.output === undefined ? undefined : site.schemas[role.output]
  const system = role.system === undefined ? undefined : site.prompts[role.system]
  return provider.command({
    ...{ role: role.name, title: role.title, step: step.id, visit, call: call.call },
    capabilities: role.capabilities,
    mayWrite: role.capabilities.includes('edit') || role.mayWrite.length + step.writes.length > 0,
    ...{ worktree: site.task.worktree, home: files.home, promptFile: files.prompt, env: site.ports, values },
    ...(guard ? { hook: { command: guard.command } } : {}),
    ...(role.model === undefined ? {} : { model: role.model }),
    ...(system === undefined ? {} : { system: expand(system, values) }),
    ...(schema === undefined ? {} : { answerSchema: schema }),
    ...(endpoint === undefined ? {} : { endpoint }),
  })
}

export function validatorOf({ site, step: { role } }: AgentCall): Promise<Validate> {
  const schema = role.output === undefined ? undefined : site.schemas[role.output]
  return answerValidator(role, schema, site.workflow.policy.limits)
}
