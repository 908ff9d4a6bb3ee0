import { textOf } from '../../src/model/json.ts'
import { ofType } from '../../src/model/event.ts'
import type { EventType, JournalLine } from '../../src/model/event.ts'

/** A run as a list of short sentences: every fact of its journal but the checkpoints, without what differs each time. */
export function sequence({ lines }: { readonly lines: readonly JournalLine[] }): string[] {
  return lines.flatMap((line) => {
    const words = ofType(sentences, line.type)?.(fieldsOf(line))
    return words === undefined ? [] : [words]
  })
}

const names = [
  ...[
    'role',
    'about',
    'answer',
    'workflow',
    'mode',
    'branch',
    'base',
    'step',
    'visit',
    'outcome',
    'label',
    'reason',
    'end',
  ],
  ...['problem', 'final', 'error', 'after_ms', 'path', 'by', 'check', 'gate', 'met', 'items', 'item'],
  ...['from', 'to', 'count', 'limit', 'verbs', 'verb', 'text', 'name', 'code', 'exit_code', 'url'],
  ...['finding', 'how', 'next', 'verdict', 'score', 'level', 'attempt'],
] as const

type Fields = Readonly<Record<(typeof names)[number], string>>

/** As text; what is not there is empty. */
function fieldsOf({ role, data }: JournalLine): Fields {
  const text = (name: string) => [data[name]].flat().map(textOf).join(', ')
  return { ...Object.fromEntries(names.map((name) => [name, text(name)])), role } as Fields
}

const sentences: Readonly<Record<EventType, (fields: Fields) => string | undefined>> = {
  'run.started': ({ workflow, mode }) => `run started: ${workflow} ${mode}`,
  'run.resumed': () => 'run resumed',
  'run.undone': ({ to }) => `run undone to ${to}`,
  'run.warned': ({ about }) => `run warned: ${about}`,
  'remote.checked': ({ answer }) => `remote ${answer}`,
  'branch.created': ({ branch, base }) => `branch ${branch} created from ${base}`,
  'worktree.prepared': () => 'worktree prepared',
  'stretch.started': ({ mode, from }) => `stretch ${mode} from ${from}`,
  'step.started': ({ step, visit }) => `${step}#${visit} started`,
  'step.skipped': ({ step }) => `${step} skipped`,
  'agent.started': ({ role }) => `${role} called`,
  'agent.finished': ({ role, end }) => `${role} ${end}`,
  'tool.denied': () => 'tool call denied',
  'repository.changed': () => 'repository changed by somebody else',
  'answer.accepted': () => 'answer accepted',
  'answer.refused': ({ problem, final }) =>
    `answer refused${final === 'true' ? ' for good' : ''}: ${withoutIds(problem)}`,
  'provider.exhausted': () => 'exhausted',
  'agent.retried': ({ error, after_ms }) => `${error}, again after ${after_ms} ms`,
  'artifact.written': ({ path }) => `wrote ${path}`,
  'commit.made': ({ by }) => `commit by ${by}`,
  'check.finished': ({ check, label }) => `check ${check} ${label}`,
  'gate.checked': ({ gate, met }) => `gate ${gate} ${met === 'true' ? 'met' : 'not met'}`,
  'gate.judged': ({ gate, verdict, score }) => `gate ${gate} judged ${verdict} ${score}`.trimEnd(),
  'level.raised': ({ level }) => `level ${level}`,
  'level.routed': ({ level, to }) => `level ${level} -> ${to}`,
  'backlog.added': ({ items }) => `backlog: ${items}`,
  'branch.moved': ({ by }) => (by === 'engine' ? 'branch moved' : `branch moved by ${by}`),
  'snapshot.made': ({ reason }) => `snapshot made: ${reason}`,
  'branch.pushed': ({ branch }) => `branch ${branch} pushed`,
  'pull_request.offered': ({ url }) => `pull request ${url}`,
  'step.finished': ({ step, visit, outcome, label }) => `${step}#${visit} ${outcome} ${label}`.trimEnd(),
  'finding.repeated': ({ finding, how }) => `finding ${finding} repeated: ${how}`,
  'route.taken': ({ from, to, count, limit }) =>
    `route ${from} -> ${to}${limit === '' ? '' : ` (${count} of ${limit})`}`,
  'list.started': ({ step }) => `list ${step} started`,
  'attempt.started': ({ item, attempt }) => (attempt === '1' ? undefined : `item ${item} attempt ${attempt}`),
  'item.started': ({ item }) => `item ${item} started`,
  'item.finished': ({ item, outcome }) => `item ${item} ${outcome}`,
  'person.asked': ({ step, verbs }) => `person asked about ${step}: ${verbs}`,
  'person.answered': ({ verb }) => `person said ${verb}`,
  said: ({ role, text }) => `${role}: ${withoutIds(text)}`,
  checkpoint: () => undefined,
  'run.waiting': ({ step }) => `run waits at ${step}`,
  'run.paused': ({ next }) => `run pauses before ${next}`,
  'run.stopped': ({ code }) => `run stopped: ${code}`,
  'run.finished': ({ outcome, exit_code }) => `run ${outcome} ${exit_code}`,
}

function withoutIds(text: string): string {
  return text
    .replaceAll(/Commit: [0-9a-f]{7}\b/g, 'Commit: <commit>')
    .replaceAll(/refs\/baton\/\S+/g, '<ref>')
}
