import { parseDuration } from '../../model/duration.ts'
import { FailureError } from '../../model/failure.ts'
import { reportEnd } from '../run-report.ts'
import { resumeRun } from '../resume-run.ts'
import { startRun } from '../start-run.ts'
import type { RunRequest } from '../start-run.ts'
import type { Command } from '../command.ts'

export interface RunFlags {
  readonly task?: string
  readonly workflow?: string
  readonly mode?: string
  readonly base?: string
  readonly from?: string
  readonly provider?: string
  readonly model?: string
  readonly script?: string
  readonly deliver?: string
  readonly timeLimit?: string
  readonly input?: readonly string[]
}

export async function run(command: Command, words: readonly string[], flags: RunFlags): Promise<number> {
  const outcome = await startRun(command.surroundings, requestOf(words, flags))
  return reportEnd(command.output, outcome.end, outcome)
}

export async function resume(
  command: Command,
  id: string | undefined,
  flags: { readonly timeLimit?: string },
): Promise<number> {
  const time = flags.timeLimit === undefined ? undefined : durationOf(flags.timeLimit)
  const outcome = await resumeRun(command.surroundings, {
    ...(id === undefined ? {} : { run: id }),
    ...(time === undefined ? {} : { timeLimitMs: time }),
  })
  return reportEnd(command.output, outcome.end, outcome)
}

function requestOf(words: readonly string[], flags: RunFlags): RunRequest {
  const task = taskOf(words, flags.task)
  if (flags.timeLimit !== undefined) durationOf(flags.timeLimit)
  const { workflow, provider, model, base, deliver, timeLimit } = flags
  return {
    ...(task === undefined ? {} : { task }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    ...(flags.script === undefined ? {} : { script: flags.script }),
    ...(flags.from === undefined ? {} : { from: flags.from }),
    flags: { workflow, provider, model, base, deliver, time_limit: timeLimit },
    inputs: inputsOf(flags.input ?? []),
  }
}

function taskOf(words: readonly string[], flag: string | undefined): string | undefined {
  const spoken = words.join(' ').trim()
  const asked = flag?.trim() ?? ''
  if (spoken !== '' && asked !== '') {
    throw new FailureError({
      code: 'task.twice',
      message: 'The task was given twice, as an argument and with --task.',
      next: 'baton run "<what you want done>"',
    })
  }
  return spoken === '' && asked === '' ? undefined : spoken || asked
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
        next: 'baton run "<task>" --input archive=manual',
      })
    }
    const name = pair.slice(0, at)
    const value = pair.slice(at + 1)
    const before = inputs[name]
    inputs[name] = before === undefined ? value : [...[before].flat(), value]
  }
  return inputs
}

function durationOf(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw new FailureError({
    code: 'time.form',
    message: `'${text}' is not a duration.`,
    next: 'Write 90s, 30m, 2h or 1h30m, for example: --time-limit 2h',
  })
}
