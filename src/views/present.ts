import { ofType } from '../model/event.ts'
import type { EventType, JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import { offeredWords, remoteWords } from './remote-words.ts'
import { warningWords } from './warning-words.ts'

/** The words for a fact, the same wherever it is shown. Undefined: nothing a person needs to hear of. */
export function present(line: JournalLine): { readonly speaker: string; readonly text: string } | undefined {
  const words = ofType(texts, line.type)?.(line.data)
  if (words === undefined) return undefined
  return { speaker: line.type === 'said' ? line.role : 'ORCHESTRATOR', text: words }
}

/** Which walls are in force; a run with scripted agents and no walls says nothing. */
const walls: Readonly<Record<string, string>> = {
  bubblewrap: 'Walls: agents, set-up and checks run inside bubblewrap.',
  seatbelt: 'Walls: agents, set-up and checks run inside the macOS sandbox.',
  down: 'THE WALLS ARE DOWN (sandbox: off): agents, set-up and checks can reach everything that you can.',
}

type Words = (data: JournalLine['data']) => string | undefined

const texts: Readonly<Partial<Record<EventType, Words>>> = {
  said: (data) => firstLine(textOf(data['text'])),
  'run.started': (data) => walls[textOf(data['walls'])],
  'run.resumed': (data) => ['Run resumed.', walls[textOf(data['walls'])]].filter(Boolean).join(' '),
  'run.undone': (data) =>
    `Undone: back at the end of ${textOf(data['to'])}. What was there is kept as ${textOf(data['snapshot'])}.`,
  'route.taken': (data) =>
    data['counted_as'] === undefined
      ? undefined
      : `'${textOf(data['by'])}' leads nowhere new here: it counts as '${textOf(data['counted_as'])}'.`,
  'run.warned': warningWords,
  'branch.pushed': (data) => `Pushed '${textOf(data['branch'])}'.`,
  'pull_request.offered': offeredWords,
  'remote.checked': (data) => remoteWords(data),
  'answer.refused': (data) =>
    data['final'] === true
      ? `No usable answer in ${textOf(data['step'])}: ${oneLine(data['problem'])}`
      : `Answer of ${textOf(data['step'])} not accepted, asking again: ${oneLine(data['problem'])}`,
  'agent.retried': (data) =>
    data['error'] === 'quota'
      ? `${textOf(data['step'])} goes on with ${textOf(data['detail'])}.`
      : `Agent of ${textOf(data['step'])} failed (${textOf(data['error'])}), trying again.`,
  'provider.exhausted': (data) =>
    `No quota left with ${textOf(data['provider'])}${data['resets_at'] === undefined ? '' : ` until ${textOf(data['resets_at'])}`}: ${oneLine(data['detail'])}`,
  'tool.denied': (data) =>
    `Denied in ${textOf(data['step'])}: ${oneLine(data['what'])} (${textOf(data['rule'])})`,
  'repository.changed': (data) =>
    `The repository changed meanwhile, by somebody else: ${oneLine(Array.isArray(data['names']) ? data['names'].join(', ') : '')}`,
  'gate.checked': (data) =>
    data['met'] === true ? undefined : `Gate ${textOf(data['gate'])} not met: ${oneLine(data['facts'])}`,
  'gate.judged': (data) => judgedWords(data),
  'level.raised': (data) => raisedWords(data),
  'level.routed': ({ level, to, count, limit }) =>
    Number(count) > Number(limit)
      ? undefined
      : `${textOf(level)}: all work is broken off, on with '${textOf(to)}'.`,
  'finding.repeated': (data) => oneLine(data['facts']),
  'snapshot.made': (data) => `What ${textOf(data['step'])} left is kept as ${textOf(data['ref'])}.`,
  'backlog.added': (data) => `Backlog: ${Array.isArray(data['items']) ? data['items'].length : 0} new.`,
  'branch.moved': (data) => (data['by'] === 'person' ? 'Changes made by hand were taken over.' : undefined),
  'person.answered': (data) => `A person said: ${textOf(data['verb'])}${said(data['text'])}`,
}

function judgedWords({ verdict, gate, score, unverified }: JournalLine['data']): string | undefined {
  if (verdict === 'met') return undefined
  if (unverified === true) return `Gate ${textOf(gate)} could not be judged: the engine's own checks count.`
  if (verdict === 'inconclusive') return `Gate ${textOf(gate)} could not be judged.`
  // Without a score it was closed by a check, of which there is a line of its own.
  return score === undefined ? undefined : `Gate ${textOf(gate)} judged not met: score ${textOf(score)}.`
}

function raisedWords({ level, gate, score, issues }: JournalLine['data']): string {
  const why = [
    ...(score === undefined ? [] : [`score ${textOf(score)}`]),
    ...(Number(issues) > 1 ? [`${textOf(issues)} in a row not met`] : []),
  ]
  return `Supervision: ${textOf(level)} after gate ${textOf(gate)}${why.length === 0 ? '' : ` (${why.join(', ')})`}.`
}

function said(text: unknown): string {
  return typeof text === 'string' && text !== '' ? ` (${text.split('\n', 1)[0] ?? ''})` : '.'
}

/** A reason may hold a whole test log; the line holds its beginning, the journal all of it. */
function firstLine(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  return rest.some((line) => line.trim() !== '') ? `${first} ...` : first
}

export function oneLine(value: JournalLine['data'][string] | undefined): string {
  const [first = ''] = textOf(value).split('\n', 1)
  return first.length > 300 ? `${first.slice(0, 300)}...` : first
}
