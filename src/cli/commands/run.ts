import { resolve } from 'node:path'
import { FailureError } from '../../model/failure.ts'
import { reportEnd } from '../run-report.ts'
import { resumeRun } from '../resume-run.ts'
import { rollBack } from '../roll-back.ts'
import { stayWaiting } from '../stay-waiting.ts'
import { startRun } from '../start-run.ts'
import { taskFromFile, taskFromIssue, taskFromPullRequest } from '../task-source.ts'
import type { RunRequest } from '../plan-run.ts'
import type { Command } from '../command.ts'
import type { RunOutcome } from '../open-session.ts'
import { detachRun, refuseDetachedInput } from '../detach-run.ts'
import { limitingFlag } from '../duration-flag.ts'
import { limitFlags } from '../limit-flags.ts'

export interface RunFlags {
  readonly task?: string
  readonly issue?: string
  readonly pr?: string
  readonly file?: string
  readonly workflow?: string
  readonly mode?: string
  readonly base?: string
  readonly from?: string
  readonly provider?: string
  readonly model?: string
  readonly complexity?: string
  readonly maxCost?: string
  readonly maxTokens?: string
  readonly stay?: boolean
  readonly script?: string
  readonly deliver?: string
  readonly remoteCheck?: string
  readonly sandbox?: string
  readonly timeLimit?: string
  readonly wait?: boolean
  readonly rollback?: boolean
  readonly detach?: boolean
  readonly input?: readonly string[]
}

export async function run(command: Command, words: readonly string[], flags: RunFlags): Promise<number> {
  if (flags.detach === true) {
    refuseDetachedInput(flags.task)
    return detachRun(command)
  }
  const typed = await taskOf(command, words, flags.task)
  const outcome = await startRun(
    stayWaiting(command.surroundings, flags.stay),
    await withSource(command, requestOf(typed, flags), flags),
  )
  return report(command, outcome, flags)
}

type ResumeFlags = Pick<
  RunFlags,
  'timeLimit' | 'maxCost' | 'maxTokens' | 'wait' | 'stay' | 'rollback' | 'detach'
>

export async function resume(command: Command, id: string | undefined, flags: ResumeFlags): Promise<number> {
  if (flags.detach === true) return detachRun(command)
  const time = flags.timeLimit === undefined ? undefined : timeLimitOf(flags.timeLimit)
  const outcome = await resumeRun(stayWaiting(command.surroundings, flags.stay), {
    ...(id === undefined ? {} : { run: id }),
    ...(time === undefined ? {} : { timeLimitMs: time }),
    ...{ limits: limitFlags(flags), wait: flags.wait === true },
  })
  return report(command, outcome, flags)
}

async function report(
  { output, surroundings }: Command,
  outcome: RunOutcome,
  { rollback }: Pick<RunFlags, 'rollback'>,
): Promise<number> {
  const back = rollback === true ? await rollBack(surroundings, outcome) : undefined
  return reportEnd(output, outcome.end, { ...outcome, ...(back ? { rolledBack: back } : {}) })
}

function requestOf(task: string | undefined, flags: RunFlags): RunRequest {
  if (flags.timeLimit !== undefined) timeLimitOf(flags.timeLimit)
  const { workflow, provider, model, complexity, base, deliver, sandbox, timeLimit, remoteCheck } = flags
  return {
    ...(task === undefined ? {} : { task }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    ...(flags.script === undefined ? {} : { script: flags.script }),
    ...(flags.from === undefined ? {} : { from: flags.from }),
    flags: {
      ...{ workflow, provider, model, complexity, base, deliver, sandbox },
      ...{ time_limit: timeLimit, remote_check: remoteCheck, ...limitFlags(flags) },
    },
    wait: flags.wait === true,
    inputs: inputsOf(flags.input ?? []),
  }
}

/** A task has one source. What is typed beside a pull request says more about it. */
async function withSource(
  { surroundings }: Command,
  request: RunRequest,
  { issue, pr, file }: RunFlags,
): Promise<RunRequest> {
  const sources = [issue, pr, file].filter((one) => one !== undefined)
  if (sources.length === 0) return request
  if (sources.length > 1 || request.task !== undefined) throw twice('in more than one way')
  if (file !== undefined) return { ...request, task: await taskFromFile(resolve(surroundings.cwd, file)) }
  const [wanted = ''] = sources
  const from = issue === undefined ? taskFromPullRequest : taskFromIssue
  const { base, mode, ...sourced } = await from(surroundings, wanted, request.flags)
  const begin = request.mode ?? mode
  const flags = { ...request.flags, base: request.flags.base ?? base }
  return { ...request, ...sourced, flags, ...(begin === undefined ? {} : { mode: begin }) }
}

function twice(how: string): FailureError {
  return new FailureError({
    code: 'task.twice',
    message: `The task was given twice, ${how}.`,
    next: 'baton run "<what you want done>"',
  })
}

/** `--task -` reads it from standard input: an argument of a command can have 128 KB at most on Linux. */
async function taskOf(
  { input }: Command,
  words: readonly string[],
  flag: string | undefined,
): Promise<string | undefined> {
  const spoken = words.join(' ').trim()
  const asked = (flag === '-' ? await readAll(input) : (flag ?? '')).trim()
  if (spoken !== '' && asked !== '') {
    throw twice('as an argument and with --task')
  }
  return spoken || asked || undefined
}

const largestTask = 2_000_000

async function readAll(input: Command['input']): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of input) {
    parts.push(Buffer.from(part))
    size += part.length
    if (size > largestTask) throw tooLong()
  }
  const text = Buffer.concat(parts).toString('utf8')
  if (!text.includes('\0')) return text
  throw new FailureError({
    code: 'task.binary',
    message: 'The task on standard input is no text: it holds a NUL character.',
    next: 'baton run --task - < task.md',
  })
}

function tooLong(): FailureError {
  return new FailureError({
    code: 'task.long',
    message: `The task on standard input is longer than ${largestTask / 1_000_000} MB.`,
    next: 'Put what is long into a file of the repository, commit it, and name it in the task.',
  })
}

/** `--input k=v`, repeated; the same name again makes a list. */
export function inputsOf(pairs: readonly string[]): Record<string, string | readonly string[]> {
  const inputs: Record<string, string | readonly string[]> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) {
      throw new FailureError({
        code: 'input.form',
        message: `--input takes name=value, but was given '${pair}'.`,
        next: 'baton run "<task>" --input <name>=<value>',
      })
    }
    const name = pair.slice(0, at)
    const value = pair.slice(at + 1)
    const before = inputs[name]
    inputs[name] = before === undefined ? value : [...[before].flat(), value]
  }
  return inputs
}

function timeLimitOf(text: string): number {
  return limitingFlag(text, 'Write 90s, 30m, 2h or 1h30m, for example: --time-limit 2h')
}
