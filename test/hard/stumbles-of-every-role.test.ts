// Every one of the nine roles may correct its answer, is started again after an accident, and is given up at last. The
// story is one in which all of them are called: an escalation, and a merge in conflict. Each is told as a whole run.
import { describe, expect, it } from 'vitest'
import { goodRoles, playPipeline } from '../support/pipeline.ts'
import type { Entry, Roles } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

type Lines = readonly string[]

interface Visit {
  readonly role: string
  readonly title: string
  readonly step: string
  /** What the role does there if nothing goes wrong. */
  readonly entry: Entry
  readonly lines: Lines
  /** What the engine does by itself after it. */
  readonly then?: Lines
  /** Before the role has done anything: the merge under way, which is kept where nobody ends it. */
  readonly hasWork?: true
}

const good = (role: string): Entry => goodRoles[role]?.[0] ?? {}

const visits: readonly Visit[] = [
  {
    ...{ role: 'investigator', title: 'INVESTIGATOR', step: 'investigate#1' },
    ...{ entry: good('investigator'), lines: steps.investigate() },
  },
  {
    ...{ role: 'lead_analyst', title: 'LEAD ANALYST', step: 'analyst_review#1' },
    entry: { answer: { verdict: 'ESCALATE', feedback: 'Which contrast?' } },
    lines: steps.analystEscalates(1),
    then: ['route analyst_review -> research'],
  },
  {
    ...{ role: 'researcher', title: 'RESEARCHER', step: 'research#1' },
    ...{ entry: good('researcher'), lines: steps.research() },
  },
  {
    ...{ role: 'lead_analyst', title: 'LEAD ANALYST', step: 'analyst_review#2' },
    ...{ entry: good('lead_analyst'), lines: steps.analystApproves(2) },
  },
  {
    ...{ role: 'architect', title: 'ARCHITECT', step: 'plan#1' },
    ...{ entry: good('architect'), lines: steps.plan() },
  },
  {
    ...{ role: 'plan_reviewer', title: 'LEAD ARCHITECT', step: 'plan_review#1' },
    ...{ entry: good('plan_reviewer'), lines: steps.planApproved() },
  },
  {
    ...{ role: 'developer', title: 'DEVELOPER', step: 'code#1' },
    ...{ entry: good('developer'), lines: steps.code() },
  },
  {
    ...{ role: 'auditor', title: 'AUDITOR', step: 'code_review#1' },
    ...{ entry: good('auditor'), lines: steps.auditPasses(), then: steps.mergedInConflict() },
  },
  {
    ...{ role: 'integration_specialist', title: 'INTEGRATION SPECIALIST', step: 'resolve#1' },
    ...{ entry: good('integration_specialist'), lines: steps.resolve(), hasWork: true },
  },
  {
    ...{ role: 'merge_auditor', title: 'AUDITOR', step: 'merge_review#1' },
    ...{ entry: good('merge_auditor'), lines: steps.mergePasses() },
  },
]

type Mode = 'bugfix' | 'research' | 'direct'

const [, , researches, approves] = visits
const fromPlan = visits.slice(4)
const visitsIn: Readonly<Record<Mode, readonly Visit[]>> = {
  bugfix: visits,
  research: [
    ...(researches ? [researches] : []),
    ...(approves ? [{ ...approves, step: 'analyst_review#1', lines: steps.analystApproves(1) }] : []),
    ...fromPlan,
  ],
  direct: fromPlan,
}

/** The first visit of each role. */
const roles = visits.filter(({ role }, at) => visits.findIndex((one) => one.role === role) === at)

const end = [...steps.archive(), ...steps.deliver(), ...steps.success()]

const noJson: Entry = { prints: 'It is done.' }
const noJsonIs = 'no complete JSON object was found in the answer'
const half: Entry = { answer: { verdict: 'undecided' }, as: 'broken' }
const halfIs = 'the fenced JSON does not parse: line 2, column 13: it ends too early'
const crash: Entry = { ends: { exit: 7 } }
const hang: Entry = { ends: { hang: true } }

const refused = (title: string, problem: string): Lines => [
  ...[`${title} called`, `${title} exit 0`, `answer refused: ${problem}`],
]
const crashed = (title: string, ms: number): Lines => [
  ...[`${title} called`, `${title} exit 7`, `crash, again after ${ms} ms`],
]

/** The lines of a visit up to the first call, and from there on. */
function aroundCall({ lines, title }: Visit): [before: Lines, from: Lines] {
  const at = lines.indexOf(`${title} called`)
  return [lines.slice(0, at), lines.slice(at)]
}

interface Stumble {
  /** The calls before the good one, and what is told of them. */
  readonly calls: readonly Entry[]
  readonly lines: (title: string) => Lines
}

/** The whole run, in which some visits begin with a stumble. */
function story(stumbles: (visit: Visit) => boolean, { lines }: Stumble, mode: Mode = 'bugfix'): Lines {
  const told = visitsIn[mode].flatMap((visit) => {
    const [before, from] = aroundCall(visit)
    return [...before, ...(stumbles(visit) ? lines(visit.title) : []), ...from, ...(visit.then ?? [])]
  })
  return [...steps.begin(mode), ...told, ...end]
}

function rolesThat(stumbles: (visit: Visit) => boolean, { calls }: Stumble, mode: Mode = 'bugfix'): Roles {
  const entries: Record<string, Entry[]> = {}
  for (const visit of visitsIn[mode]) {
    const entry = stumbles(visit) ? { calls: [...calls, visit.entry] } : visit.entry
    entries[visit.role] = [...(entries[visit.role] ?? []), entry]
  }
  return entries
}

/** The run up to a visit that comes to nothing, and what is asked then. */
function untilGivenUp(visit: Visit, lines: Lines): Lines {
  const before = visits.slice(0, visits.indexOf(visit)).flatMap((one) => [...one.lines, ...(one.then ?? [])])
  const [started] = aroundCall(visit)
  return [
    ...steps.begin('bugfix'),
    ...before,
    ...started,
    ...lines,
    ...steps.asks(visit.step.split('#')[0] ?? ''),
  ]
}

const surroundings = {
  mode: 'bugfix',
  later: { 'src/app.txt': 'light mode, but nicer\n' },
  workflow: { 'delay: 5s': 'delay: 10ms' },
}

describe.concurrent.each(['bugfix', 'research', 'direct'] as const)('in mode %s each role', (mode) => {
  it('may correct an answer twice: no JSON, then half of one (R001-131, R000-82, C-08)', async () => {
    const corrected: Stumble = {
      calls: [noJson, half],
      lines: (title) => [...refused(title, noJsonIs), ...refused(title, halfIs)],
    }
    const entries = rolesThat(() => true, corrected, mode)
    const run = await playPipeline({ ...surroundings, mode, roles: entries })
    expect(sequence(run)).toEqual(story(() => true, corrected, mode))
  })

  it('is started again after its first and its second crash (R001-130, R001-132)', async () => {
    const restarted: Stumble = {
      calls: [crash, crash],
      lines: (title) => [...crashed(title, 10), ...crashed(title, 20)],
    }
    const entries = rolesThat(() => true, restarted, mode)
    const run = await playPipeline({ ...surroundings, mode, roles: entries })
    expect(sequence(run)).toEqual(story(() => true, restarted, mode))
  })
})

for (const visit of roles) {
  const { role, title, step, hasWork } = visit
  const keeps = (why: string): Lines => (hasWork ? [`snapshot made: ${why}`] : [])
  describe.concurrent(`the ${role}`, () => {
    it('that says nothing for its idle time is stopped and started again (R001-129, R000-24)', async () => {
      const stopped: Stumble = {
        calls: [hang],
        lines: () => [`${title} called`, `${title} idle`, 'idle, again after 10 ms'],
      }
      const isMeant = (one: Visit) => one === visit
      const run = await playPipeline({
        ...surroundings,
        // Time enough for the calls that are honest, also on a slow machine.
        workflow: { ...surroundings.workflow, 'idle: 5m': 'idle: 8s' },
        roles: rolesThat(isMeant, stopped),
      })
      expect(sequence(run)).toEqual(story(isMeant, stopped))
    })

    it('has failed after three answers that cannot be used, and a person is asked (R001-131, R000-83, C-08)', async () => {
      const never: Stumble = { calls: [half, half, half], lines: () => [] }
      const run = await playPipeline({ ...surroundings, roles: rolesThat((one) => one === visit, never) })
      expect(sequence(run)).toEqual(
        untilGivenUp(visit, [
          ...[...refused(title, halfIs), ...refused(title, halfIs), `${title} called`, `${title} exit 0`],
          `answer refused for good: no valid answer after 3 calls: ${halfIs}`,
          ...[...keeps('invalid'), `${step} failed invalid`],
        ]),
      )
    })

    it('has failed after three crashes, and a person is asked (R001-132, R000-83, C-86)', async () => {
      const never: Stumble = { calls: [crash, crash, crash], lines: () => [] }
      const run = await playPipeline({ ...surroundings, roles: rolesThat((one) => one === visit, never) })
      expect(sequence(run)).toEqual(
        untilGivenUp(visit, [
          ...[...crashed(title, 10), ...crashed(title, 20), `${title} called`, `${title} exit 7`],
          'answer refused for good: the agent ended with exit code 7 (3 times)',
          ...[...keeps('crash'), `${step} failed crash`],
        ]),
      )
    })
  })
}

it('ideas of all nine roles are told where they came up (R001-124 to R001-127)', async () => {
  const idea = { backlog_items: ['Later'] }
  const withIdea = Object.fromEntries(
    Object.entries(rolesThat(() => false, { calls: [], lines: () => [] })).map(([role, entries]) => [
      role,
      entries.map(({ answer, ...entry }) => ({ ...entry, answer: { ...(answer as Entry), ...idea } })),
    ]),
  )
  const run = await playPipeline({ ...surroundings, roles: withIdea })
  const told = visits.flatMap(({ lines, then = [] }) => {
    // After what the step has committed, before its gates.
    const at = lines.findIndex((line) => line.startsWith('gate '))
    return [...lines.slice(0, at), 'backlog: Later', ...lines.slice(at), ...then]
  })
  expect(sequence(run)).toEqual([...steps.begin('bugfix'), ...told, ...end])
})
