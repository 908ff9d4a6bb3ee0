import type { AgentFailure } from '../model/agent.ts'
import { TimeUsedUpError } from '../model/durable.ts'
import { instantOf } from '../platform/clock.ts'
import { readTail } from '../platform/files.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { filesOf } from './agent-call.ts'
import type { AgentCall, Spoken, SpokenError } from './agent-call.ts'
import type { AgentRun } from './start-agent.ts'

const complaintBytes = 4000

/** Why a call gave no answer; undefined where it may have given one. */
export async function failureOf(run: AgentRun, call: AgentCall): Promise<Spoken | undefined> {
  if (run.stopped) return spokenError(run.stopped)
  if (run.end.type === 'exited') return afterExit(run, run.end.code, call)
  return broken(run.end, call, run.inTool === true)
}

/**
 * A tool that has a stream of events says itself what went wrong; exit code 0 alone proves nothing. Of one that
 * just prints its answer, only the exit code and its complaints can tell.
 */
async function afterExit({ heard }: AgentRun, code: number, call: AgentCall): Promise<Spoken | undefined> {
  const provider = call.site.provider(call.step.role.provider)
  if (!heard && code === 0) return undefined
  if (!provider.judge) return code === 0 ? undefined : badExit(call, code)
  const complaint = await readTail(filesOf(call.dir).errors, complaintBytes)
  const failure = provider.judge({ ...(heard ?? { answered: false }), code, complaint })
  return failure && spokenError(failure)
}

function spokenError({ error, message, resetsAt }: AgentFailure): SpokenError {
  return { type: 'error', error, detail: message, ...(resetsAt === undefined ? {} : { resetsAt }) }
}

async function broken(
  end: Exclude<ProcessEnd, { type: 'exited' }>,
  call: AgentCall,
  inTool: boolean,
): Promise<Spoken> {
  switch (end.type) {
    case 'signalled':
      return crash(`the agent was ended by ${end.signal}${await lastComplaint(call)}`)
    case 'aborted':
      return crash('the agent was stopped')
    case 'idle':
      return { type: 'error', error: 'idle', detail: silence(call, inTool) }
    case 'timeout':
      return tookTooLong(call)
    case 'excess':
      return crash(`the agent used more ${end.what} than the limits allow, and was ended`)
    case 'not_found':
      return { type: 'error', error: 'not_found', detail: `Command '${end.command}' not found` }
  }
}

function silence({ step }: AgentCall, inTool: boolean): string {
  const { idleMs, toolMs } = step.role.timeout
  if (inTool) return `a tool of the agent's gave no result for ${toolMs / 1000} s`
  return `the agent printed nothing for ${idleMs / 1000} s`
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
