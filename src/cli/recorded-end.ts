import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'
import type { Ending } from './end-words.ts'

/** What the last line of a run's journal and its lock say of how it was left. Undefined: it goes on. */
export function recordedEnd(last: JournalLine | undefined, state: RunState): Ending | undefined {
  const read = last && endings[last.type]
  if (read) return read(last, state)
  return state.status === 'stopped' && last?.type !== 'run.undone' ? { type: 'interrupted' } : undefined
}

const endings: Readonly<Record<string, (line: JournalLine, state: RunState) => Ending>> = {
  'run.waiting': (_, { question, verbs }) => ({ type: 'waiting', question: { text: question, verbs } }),
  'run.paused': ({ data }) => ({ type: 'paused', end: endedIn(data) }),
  'run.stopped': ({ data }) => ({
    type: 'refused',
    message: textOf(data['message']),
    next: textOf(data['next']),
  }),
  'run.finished': ({ data }) =>
    data['outcome'] === 'cancelled'
      ? { type: 'cancelled' }
      : { type: 'finished', end: endedIn(data), exitCode: Number(data['exit_code']) },
}

function endedIn(data: JournalLine['data']): { outcome: string; step: string; reason: string } {
  return { outcome: textOf(data['outcome']), step: textOf(data['step']), reason: textOf(data['reason']) }
}
