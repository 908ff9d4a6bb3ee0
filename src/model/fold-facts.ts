import type { EventType, JournalLine } from './event.ts'
import { isJsonObject, textOf } from './json.ts'
import type { JsonObject } from './json.ts'
import { gapAt } from './paused.ts'
import type { RunFacts, RunStatus } from './run-state.ts'

/**
 * What the lines so far come to, without the steps: for the process that drives a run, however long. Of a run that was
 * taken back only the whole fold can tell.
 */
export function foldFacts(before: RunFacts, lines: readonly JournalLine[]): RunFacts {
  const facts = lines.reduce((known, line, index) => {
    const news = factsIn.get(line.type)?.(line, known)
    const pausedMs = known.pausedMs + gapAt(lines, index, before.updatedAt)
    return news ? { ...known, ...news, pausedMs } : known
  }, before)
  const last = lines.at(-1)
  return last ? { ...facts, updatedAt: last.ts } : facts
}

export type News = (line: JournalLine, facts: Omit<RunFacts, 'updatedAt'>) => Partial<RunFacts> | undefined

const nobodyAsked = { question: '', asked: '', verbs: [], stays: false } as const

const news: Readonly<Partial<Record<EventType, News>>> = {
  'run.started': ({ data, ts }) => ({
    ...pick(data, ['run', 'workflow', 'digest', 'version', 'task', 'mode']),
    inputs: isJsonObject(data['inputs']) ? data['inputs'] : {},
    walls: textOf(data['walls']),
    startedAt: ts,
  }),
  'stretch.started': ({ data }) => ({
    ...{ status: 'running', mode: textOf(data['mode']), next: '', reason: '' },
  }),
  'run.paused': ({ data }) => ({ status: 'paused', ...pick(data, ['next', 'reason', 'mode']) }),
  'run.resumed': ({ data }) => ({
    ...{ status: 'running', reason: '', ...nobodyAsked, walls: textOf(data['walls']) },
  }),
  'branch.created': ({ data }) => pick(data, ['branch', 'base', 'worktree']),
  'step.started': ({ data }) => ({ currentStep: textOf(data['step']) }),
  'step.finished': artifactsIn,
  'commit.made': movesIn,
  'backlog.added': ({ data }, { backlog }) => ({ backlog: [...backlog, ...texts(data['items'])] }),
  'run.waiting': ({ data }) => ({
    status: 'waiting',
    question: textOf(data['question']),
    verbs: texts(data['verbs']),
    asked: textOf(data['asked']),
    stays: data['stays'] === true,
    currentStep: textOf(data['step']),
  }),
  'person.answered': () => ({ status: 'running', ...nobodyAsked }),
  'run.stopped': ({ data }) => ({ status: 'stopped', reason: textOf(data['message']) }),
  'run.finished': ({ data }) => ({
    status: finalStatus(textOf(data['outcome'])),
    reason: textOf(data['reason']),
    next: '',
    ...nobodyAsked,
    ...(typeof data['exit_code'] === 'number' ? { exitCode: data['exit_code'] } : {}),
  }),
}

/** What a line says of the run as a whole, by its type. Looked up for every line of a journal, so not by the way of `ofType`. */
export const factsIn: ReadonlyMap<string, News> = new Map(Object.entries(news))

export function artifactsIn(
  { data }: JournalLine,
  { artifacts }: Pick<RunFacts, 'artifacts'>,
): Pick<RunFacts, 'artifacts'> | undefined {
  const writes = texts(data['writes'])
  return writes.length === 0 ? undefined : { artifacts: { ...artifacts, [textOf(data['step'])]: writes } }
}

/** An artifact is told by the place where it is now. */
function movesIn(
  { data }: JournalLine,
  { artifacts }: Pick<RunFacts, 'artifacts'>,
): Partial<RunFacts> | undefined {
  const [from, moved] = [texts(data['from']), texts(data['moved'])]
  if (from.length === 0 || from.length !== moved.length) return undefined
  const now = new Map(from.map((path, index) => [path, moved[index] ?? path]))
  const entries = Object.entries(artifacts)
  return {
    artifacts: Object.fromEntries(
      entries.map(([step, paths]) => [step, paths.map((path) => now.get(path) ?? path)]),
    ),
  }
}

function finalStatus(outcome: string): RunStatus {
  if (outcome === 'ok') return 'delivered'
  if (outcome === 'time') return 'out_of_time'
  if (outcome === 'spending') return 'out_of_budget'
  return outcome === 'cancelled' ? 'cancelled' : 'failed'
}

function pick<K extends string>(data: JsonObject, keys: readonly K[]): Record<K, string> {
  return Object.fromEntries(keys.map((key) => [key, textOf(data[key])])) as Record<K, string>
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
