import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRun } from '../../src/cli/start-run.ts'
import type { RunOutcome } from '../../src/cli/open-session.ts'
import type { RunRequest } from '../../src/cli/plan-run.ts'
import { resumeRun } from '../../src/cli/resume-run.ts'
import { readJournal } from '../../src/journal/read-journal.ts'
import type { PersonMessage, Question } from '../../src/model/durable.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { foldRun } from '../../src/model/fold-run.ts'
import type { RunState } from '../../src/model/run-state.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Surroundings } from '../../src/cli/workbench.ts'

export interface Played extends Omit<RunOutcome, 'state'> {
  /** As the run itself knows it, with the steps that its journal tells of. */
  readonly state: RunState
  readonly lines: readonly JournalLine[]
}

export interface Play extends Partial<RunRequest> {
  readonly repository: string
  /** YAML of the scripted provider. */
  readonly scriptText?: string
  /** Variables that are otherwise than usual. */
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
  readonly askPerson?: (question: Question) => Promise<PersonMessage | undefined>
}

/** Runs a workflow in a real repository with scripted agents, in this process. */
export async function play(run: Play): Promise<Played> {
  const script = run.script ?? (run.scriptText === undefined ? undefined : await scriptFile(run.scriptText))
  const outcome = await startRun(surroundingsOf(run), {
    inputs: {},
    ...run,
    flags: { provider: 'scripted', ...run.flags },
    ...(script === undefined ? {} : { script }),
  })
  return playedOf(outcome)
}

export async function playOn(run: Play & { readonly id?: string }): Promise<Played> {
  const outcome = await resumeRun(surroundingsOf(run), run.id === undefined ? {} : { run: run.id })
  return playedOf(outcome)
}

async function playedOf(outcome: RunOutcome): Promise<Played> {
  const lines = await linesOf(outcome.folder.journal)
  return { ...outcome, state: { ...outcome.state, steps: foldRun(lines).steps }, lines }
}

export function surroundingsOf({
  repository,
  askPerson,
  env,
  clock,
}: Pick<Play, 'repository' | 'askPerson' | 'env' | 'clock'>): Surroundings {
  return {
    cwd: repository,
    env: {
      PATH: process.env['PATH'],
      HOME: repository,
      XDG_CONFIG_HOME: join(repository, '.git', 'no-settings'),
      ...env,
    },
    clock: clock ?? systemClock,
    interrupt: new AbortController().signal,
    onLine: () => undefined,
    ...(askPerson ? { askPerson } : {}),
  }
}

async function scriptFile(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'baton-script-')), 'script.yaml')
  await writeFile(file, text)
  return file
}

export async function linesOf(journal: string): Promise<JournalLine[]> {
  const lines: JournalLine[] = []
  for await (const line of readJournal(journal)) lines.push(line)
  return lines
}
