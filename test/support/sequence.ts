import type { EventType, JournalLine } from '../../src/model/event.ts'

/** A run as a list of short sentences: every fact of its journal but the checkpoints, without what differs each time. */
export function sequence({ lines }: { readonly lines: readonly JournalLine[] }): string[] {
  return lines.flatMap((line) => {
    const words = sentences[line.type](line.data as Data, line.role)
    return words === undefined ? [] : [words]
  })
}

type Data = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

const sentences: Readonly<Record<EventType, (data: Data, role: string) => string | undefined>> = {
  'run.started': ({ workflow, mode }) => `run started: ${workflow} ${mode}`,
  'run.resumed': () => 'run resumed',
  'branch.created': ({ branch, base }) => `branch ${branch} created from ${base}`,
  'worktree.prepared': () => 'worktree prepared',
  'step.started': ({ step, visit }) => `${step}#${visit} started`,
  'step.skipped': ({ step }) => `${step} skipped`,
  'agent.started': (_, role) => `${role} called`,
  'agent.finished': ({ end }, role) => `${role} ${end}`,
  'answer.accepted': () => 'answer accepted',
  'answer.refused': ({ problem, final }) =>
    `answer refused${final === true ? ' for good' : ''}: ${withoutIds(problem)}`,
  'agent.retried': ({ error, after_ms }) => `${error}, again after ${after_ms} ms`,
  'artifact.written': ({ path }) => `wrote ${path}`,
  'commit.made': ({ by }) => `commit by ${by}`,
  'check.finished': ({ check, label }) => `check ${check} ${label}`,
  'gate.checked': ({ gate, met }) => `gate ${gate} ${met === true ? 'met' : 'not met'}`,
  'backlog.added': ({ items }) => `backlog: ${[items].flat().join('; ')}`,
  'branch.moved': ({ by }) => (by === 'engine' ? 'branch moved' : `branch moved by ${by}`),
  'snapshot.made': ({ reason }) => `snapshot made: ${reason}`,
  'step.finished': ({ step, visit, outcome, label }) =>
    `${step}#${visit} ${outcome}${label === undefined ? '' : ` ${label}`}`,
  'route.taken': ({ from, to, count, limit }) =>
    `route ${from} -> ${to}${limit === undefined ? '' : ` (${count} of ${limit})`}`,
  'item.started': ({ item }) => `item ${item} started`,
  'item.finished': ({ item, outcome }) => `item ${item} ${outcome}`,
  'person.asked': ({ step, verbs }) => `person asked about ${step}: ${[verbs].flat().join(', ')}`,
  'person.answered': ({ verb }) => `person said ${verb}`,
  said: ({ text }, role) => `${role}: ${withoutIds(text)}`,
  emitted: ({ name }) => `emitted ${name}`,
  checkpoint: () => undefined,
  'run.waiting': ({ step }) => `run waits at ${step}`,
  'run.stopped': ({ code }) => `run stopped: ${code}`,
  'run.finished': ({ outcome, exit_code }) => `run ${outcome} ${exit_code}`,
}

function withoutIds(text: Data[string]): string {
  return String(text)
    .replaceAll(/Commit: [0-9a-f]{7}\b/g, 'Commit: <commit>')
    .replaceAll(/refs\/baton\/\S+/g, '<ref>')
}
