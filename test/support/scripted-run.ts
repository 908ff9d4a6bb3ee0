import { runWorkflow } from '../../src/engine/run-workflow.ts'
import type { RunEnd, RunInput } from '../../src/engine/run-workflow.ts'
import { SuspendedError } from '../../src/model/durable.ts'
import type { DurableContext, PersonMessage, PersonVerb, Question } from '../../src/model/durable.ts'
import { ownType } from '../../src/model/event.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { isJsonObject, textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { isOutcome } from '../../src/model/outcome.ts'
import type { GateReport, Performer, RunPlace, StepRequest, StepResult } from '../../src/model/step-result.ts'
import type { Step, Workflow } from '../../src/model/workflow.ts'
import { memoryRun } from './memory-journal.ts'
import type { MemoryOptions, MemoryRun } from './memory-journal.ts'
import { workflowOf } from './workflow-values.ts'

/** An outcome; or a verdict word of the step's role; or more; or what depends on the request. */
export type Scripted = string | Partial<StepResult> | ((request: StepRequest) => string | Partial<StepResult>)

/**
 * What steps come to, by step id, or by `<item id>/<step id>`: the first visit takes the first entry, and what
 * follows the last entry is that again. Without an entry: ok.
 */
export type Script = Readonly<Record<string, readonly Scripted[]>>

/** What a person says when asked: `approve`, `reject too long`, `answer use a map`. */
export type Said = `${PersonVerb}${'' | ` ${string}`}`

export interface ScriptedRun extends Partial<Omit<RunInput, 'workflow' | 'performer'>> {
  readonly workflow: Workflow | readonly Step[]
  readonly script?: Script
  readonly person?: readonly Said[]
  /** Gates that are not met when a person wants to go on past a step's verdict, by step id. */
  readonly unmet?: Readonly<Record<string, string>>
  readonly clock?: MemoryOptions['clock']
  /** A run that was cut off, to go on with. */
  readonly run?: MemoryRun
}

export interface PlayedRun {
  /** Undefined where the run waits for a person. */
  readonly end?: RunEnd
  readonly waiting?: Question
  readonly run: MemoryRun
  readonly lines: readonly JournalLine[]
  /** Steps that were really performed in this process, as `<step>#<visit>` with the item before it. */
  readonly performed: readonly string[]
  readonly requests: readonly StepRequest[]
  readonly questions: readonly Question[]
}

const place: RunPlace = {
  ...{ branch: 'task/1-demo', worktree: '/worktree', base: 'main' },
  ...{ baseCommit: 'b'.repeat(40), start: 's'.repeat(40) },
}

/** Interprets a workflow with scripted steps, on a journal in memory, until it ends or waits. */
export async function playScripted(scripted: ScriptedRun): Promise<PlayedRun> {
  const { script = {}, person = [], unmet = {}, run = memoryRun(), clock, ...input } = scripted
  const workflow = 'steps' in scripted.workflow ? scripted.workflow : workflowOf(scripted.workflow)
  const requests: StepRequest[] = []
  const questions: Question[] = []
  const waitingFor = [...person]
  const askPerson = async (question: Question): Promise<PersonMessage | undefined> => {
    questions.push(question)
    const said = waitingFor.shift()
    return said === undefined ? undefined : messageOf(said)
  }
  const context = run.open({ askPerson, ...(clock ? { clock } : {}) })
  const performer = { ...scriptedPerformer(script, requests), recheck: rechecking(unmet) }
  const played = { run, lines: run.lines, requests, questions }
  const performed = () => requests.map(placeOf)
  try {
    const values = { task: 'demo', ...input.values }
    const end = await runWorkflow(context, { ...input, workflow, performer, values })
    return { ...played, end, performed: performed() }
  } catch (error) {
    if (!(error instanceof SuspendedError)) throw error
    return { ...played, waiting: error.question, performed: performed() }
  }
}

function rechecking(unmet: Readonly<Record<string, string>>): Performer['recheck'] {
  return (context, { step, key }) =>
    context.step<GateReport[]>(`${key}/recheck`, async () =>
      step.gates.map(({ name }) => ({ gate: name, met: unmet[step.id] !== name, facts: 'checked again' })),
    )
}

function scriptedPerformer(script: Script, requests: StepRequest[]): Omit<Performer, 'recheck'> {
  return {
    begin: (context) => context.step<RunPlace>('begin', async () => place),
    perform: (context: DurableContext, request: StepRequest) =>
      context.step<StepResult>(`${request.key}/result`, async () => {
        requests.push(request)
        return resultOf(request, scriptedFor(script, request))
      }),
  }
}

function scriptedFor(script: Script, request: StepRequest): Scripted {
  const entries = script[`${itemOf(request)}/${request.step.id}`] ?? script[request.step.id] ?? ['ok']
  return entries[Math.min(request.visit, entries.length) - 1] ?? 'ok'
}

function itemOf({ values }: StepRequest): string {
  const item = values['item']
  return isJsonObject(item) ? textOf(item['id']) : ''
}

function placeOf(request: StepRequest): string {
  const item = itemOf(request)
  return `${item === '' ? '' : `${item}/`}${request.step.id}#${request.visit}`
}

function resultOf(request: StepRequest, scripted: Scripted): StepResult {
  const given = typeof scripted === 'function' ? scripted(request) : scripted
  const empty: StepResult = { outcome: 'ok', writes: [], gates: [], facts: {} }
  if (typeof given !== 'string') return { ...empty, ...given }
  if (isOutcome(given)) return { ...empty, outcome: given }
  const { step } = request
  const verdicts: JsonObject = step.type === 'agent' ? step.role.verdicts : {}
  const words = Object.values(verdicts).find((table) => isJsonObject(table) && given in table)
  const outcome = isJsonObject(words) ? textOf(words[given]) : ''
  return { ...empty, outcome: isOutcome(outcome) ? outcome : 'revise', label: given }
}

/** The same words are the same message, in whatever process they are said. */
function messageOf(said: Said): PersonMessage {
  const [verb, ...words] = said.split(' ')
  return { id: said, verb: verb as PersonVerb, text: words.join(' ') }
}

/** What was said to people, with who said it. */
export function saidIn(lines: readonly JournalLine[]): string[] {
  return lines
    .filter(({ type }) => type === 'said')
    .map(({ role, data }) => `${role}: ${textOf(data['text'])}`)
}

/** Names of the events that the workflow emits, in order. */
export function emittedIn(lines: readonly JournalLine[]): string[] {
  return lines.map(({ type }) => type).filter((type) => ownType(type) !== undefined)
}

/** `from > to` of every route that was taken, with its count. */
export function routesIn(lines: readonly JournalLine[]): string[] {
  return lines
    .filter(({ type }) => type === 'route.taken')
    .map(
      ({ data }) =>
        `${textOf(data['from'])} > ${textOf(data['to'])} (${textOf(data['by'])} ${textOf(data['count'])})`,
    )
}

/** Data of the events of one type, without their keys. */
export function dataOf(lines: readonly JournalLine[], type: string): JsonObject[] {
  return lines
    .filter((line) => line.type === type)
    .map(({ data }) => {
      const { key: _key, ...rest } = data
      return rest
    })
}
