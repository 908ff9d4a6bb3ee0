import type { JsonObject } from '../model/json.ts'
import type { GateReport } from '../model/step-result.ts'
import type { GateSpec } from '../model/workflow.ts'

/** What the engine found out itself, for gates to judge. Nothing in here is an agent's claim but `answer`. */
export interface GateFacts {
  readonly answer: JsonObject
  /** Commits that the step brought, oldest first. */
  readonly commits: readonly { readonly id: string; readonly parents: readonly string[] }[]
  /** Texts of the step's artifacts, as committed. */
  readonly artifacts: Readonly<Record<string, string>>
  readonly tests?: TestFacts
  readonly markers: readonly string[]
  readonly merged?: boolean
  /** Paths that the step changed, its own artifacts aside. */
  readonly changes: number
  /** A person changed something by hand right before the step. */
  readonly byHand: boolean
}

export type TestFacts =
  | {
      readonly type: 'ran'
      readonly command: string
      readonly exitCode: number
      readonly log: string
      readonly tail: string
    }
  | { readonly type: 'not_run'; readonly reason: string }

type Need = 'tests' | 'artifacts' | 'markers' | 'merged' | 'changes'

interface Gate {
  readonly needs: readonly Need[]
  readonly judge: (facts: GateFacts, parameters: JsonObject) => Judgement
}

type Judgement = { readonly met: boolean; readonly facts: string }

const gates: Readonly<Record<string, Gate>> = {
  commit_is_new: { needs: ['changes'], judge: commitIsNew },
  tests_pass: { needs: ['tests'], judge: testsPass },
  plan_has_parts: { needs: ['artifacts'], judge: planHasParts },
  score: { needs: [], judge: scoreIsHigh },
  no_conflict_markers: { needs: ['markers'], judge: noConflictMarkers },
  merge_commit: { needs: ['merged'], judge: mergeCommit },
}

export const gateNames: readonly string[] = Object.keys(gates)

export function needsOf(specs: readonly GateSpec[]): ReadonlySet<Need> {
  return new Set(specs.flatMap(({ name }) => gates[name]?.needs ?? []))
}

export function judgeGates(specs: readonly GateSpec[], facts: GateFacts): GateReport[] {
  return specs.map(({ name, parameters }) => {
    const gate = gates[name]
    // The loader has refused unknown names; a miss here is a bug.
    if (!gate) throw new Error(`no gate '${name}'`)
    return { gate: name, ...gate.judge(facts, parameters) }
  })
}

function commitIsNew({ answer, commits, changes, byHand }: GateFacts): Judgement {
  // Whoever mended it by hand has left the agent nothing to commit.
  if (byHand && commits.length === 0) return met('changes made by hand were taken over')
  if (commits.length === 0) return unmet('no commit was made in this step')
  if (changes === 0) return unmet('the commits of this step change nothing')
  const claimed = answer['commit_hash']
  if (typeof claimed !== 'string') return met(`${commits.length} new on the task branch`)
  const isHash = /^[0-9a-f]{7,64}$/i.test(claimed)
  const found = isHash ? commits.find(({ id }) => id.startsWith(claimed.toLowerCase())) : undefined
  if (!found) return unmet(`commit ${claimed} is not among the ${commits.length} commits made in this step`)
  return met(`${found.id.slice(0, 12)} is on the task branch and was made in this step`)
}

function testsPass({ tests }: GateFacts): Judgement {
  if (!tests) return unmet('the tests were not run')
  if (tests.type === 'not_run') return unmet(tests.reason)
  const ran = `'${tests.command}' exit code ${tests.exitCode}`
  return tests.exitCode === 0 ? met(ran) : unmet(`${ran}, log: ${tests.log}\n${tests.tail}`.trim())
}

export const planParts = [
  'Reference Documents',
  'Detailed Logic',
  'Test Scenarios',
  'Documentation Updates',
  'Expected Deliverables',
  'Completion Checklist',
] as const

/** The six mandatory parts of a plan (R001-100 to 105), each a heading with something below it. */
function planHasParts({ artifacts }: GateFacts): Judgement {
  const text = Object.values(artifacts).join('\n')
  const missing = planParts.filter((part) => !hasSection(text, part))
  if (missing.length > 0) return unmet(`the plan lacks: ${missing.map((part) => `'## ${part}'`).join(', ')}`)
  return met('all six parts are there')
}

function hasSection(text: string, title: string): boolean {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((line) => headingOf(line)?.toLowerCase().startsWith(title.toLowerCase()))
  if (start === -1) return false
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => headingOf(line) !== undefined && !/^#{3,}/.test(line))
  return rest.slice(0, end === -1 ? undefined : end).some((line) => line.trim() !== '')
}

function headingOf(line: string): string | undefined {
  return /^#{1,6}\s+(?:\d+[.)]\s*)?(.+?)\s*#*$/.exec(line)?.[1]
}

function scoreIsHigh({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const score = answer['score']
  const least = Number(parameters['score'] ?? 0)
  if (typeof score !== 'number') {
    return parameters['if_present'] === true ? met('no score was given') : unmet('the answer has no score')
  }
  return score >= least
    ? met(`score ${score} of at least ${least}`)
    : unmet(`score ${score}, at least ${least} is needed`)
}

function noConflictMarkers({ markers }: GateFacts): Judgement {
  return markers.length === 0
    ? met('none left')
    : unmet(`conflict markers are left at ${markers.slice(0, 10).join(', ')}`)
}

function mergeCommit({ merged }: GateFacts): Judgement {
  return merged === true ? met('the base is part of the branch') : unmet('the merge was not committed')
}

function met(facts: string): Judgement {
  return { met: true, facts }
}

function unmet(facts: string): Judgement {
  return { met: false, facts }
}
