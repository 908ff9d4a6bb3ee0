import type { JournalLine } from '../model/event.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'

/** One visit to a step with everything that belongs to it, as the page shows it. */
export interface PageStep {
  readonly step: string
  readonly visit: number
  readonly role: string
  readonly kind: string
  readonly startedAt: string
  finishedAt: string
  outcome: string
  label: string
  reason: string
  readonly calls: PageCall[]
  readonly facts: PageFact[]
  readonly commits: string[]
  readonly writes: string[]
}

export interface PageCall {
  readonly call: number
  readonly provider: string
  readonly model: string
  readonly prompt: string
  answer: string
  end: string
}

/** What the engine found out by itself: a gate, a check. */
export interface PageFact {
  readonly name: string
  readonly met: boolean
  readonly text: string
}

/** The visits of a run in the order of their beginning. A line without a step belongs to none. */
export function pageSteps(lines: Iterable<JournalLine>): PageStep[] {
  const steps: PageStep[] = []
  for (const line of lines) {
    if (line.type === 'step.started') steps.push(opened(line))
    else addTo(steps, line)
  }
  return steps
}

function opened({ data, role, ts }: JournalLine): PageStep {
  return {
    ...{ step: textOf(data['step']), visit: Number(data['visit'] ?? 1), role, kind: textOf(data['kind']) },
    ...{ startedAt: ts, finishedAt: '', outcome: '', label: '', reason: '' },
    ...{ calls: [], facts: [], commits: [], writes: [] },
  }
}

function addTo(steps: readonly PageStep[], line: JournalLine): void {
  const id = textOf(line.data['step'])
  const step = id === '' ? undefined : steps.findLast((one) => one.step === id)
  if (step) additions[line.type]?.(step, line)
}

const additions: Readonly<Record<string, (step: PageStep, line: JournalLine) => void>> = {
  'agent.started': (step, { data }) => {
    step.calls.push({
      ...{
        call: Number(data['call'] ?? 1),
        provider: textOf(data['provider']),
        model: textOf(data['model']),
      },
      ...{ prompt: pathIn(data['prompt']), answer: '', end: 'under way' },
    })
  },
  'agent.finished': (step, { data }) => {
    const call = step.calls.findLast((one) => one.call === data['call'])
    if (!call) return
    call.answer = pathIn(data['answer'])
    call.end = textOf(data['end'])
  },
  'gate.checked': (step, { data }) => {
    step.facts.push({
      name: textOf(data['gate']),
      met: data['met'] === true,
      text: textOf(data['facts']),
    })
  },
  'check.finished': (step, { data }) => {
    const met = data['exit_code'] === 0 || data['outcome'] === 'pass'
    const { step: _step, key: _key, check, ...rest } = data
    step.facts.push({ name: `check ${textOf(check)}`, met, text: sentence(rest) })
  },
  'commit.made': (step, { data }) => void step.commits.push(textOf(data['commit'])),
  'artifact.written': (step, { data }) => void step.writes.push(textOf(data['path'])),
  'step.finished': (step, { data, ts }) => {
    step.finishedAt = ts
    step.outcome = textOf(data['outcome'])
    step.label = textOf(data['label'])
    step.reason = textOf(data['reason'])
  },
}

function pathIn(reference: Json | undefined): string {
  return isJsonObject(reference) ? textOf(reference['path']) : ''
}

function sentence(data: Readonly<Record<string, Json>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${pathIn(value) || textOf(value)}`)
    .join('\n')
}
