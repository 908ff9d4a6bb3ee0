import { restoreTree } from '../git/restore.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import type { Spoken } from './agent-call.ts'
import { applyEdits, withoutContents } from './apply-edits.ts'
import { collectFacts } from './collect-facts.ts'
import type { Wanted } from './collect-facts.ts'
import type { CallResult } from './next-call.ts'
import { editScopeOf, scopeOf } from './prompt-for.ts'
import type { StartingPoint } from './starting-point.ts'
import { verdictOf } from './validate-answer.ts'
import { workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

interface Asked {
  readonly site: Site
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly start: StartingPoint
}

/** The files that an answer holds, written by the engine; then the worktree is looked at as after any agent. */
export async function takeEdits(
  asked: Asked,
  call: {
    readonly spoken: Spoken & { type: 'answered' }
    readonly tip: string
    readonly wanted: Wanted
  },
): Promise<CallResult> {
  const { site, request } = asked
  const { spoken, tip, wanted } = call
  if (verdictOf(request.step.role, spoken.answer).outcome === 'ok') {
    const applied = await apply(asked, spoken)
    if (applied.type === 'refused') return { type: 'invalid', problem: applied.problem }
  }
  const found = await collectFacts(site, { ...wanted, mayWrite: scopeOf(request) })
  if (found.type === 'out_of_scope') return found
  const repaired = spoken.repaired ? ({ repaired: true } as const) : {}
  return {
    type: 'answered',
    answer: withoutContents(spoken.answer),
    facts: { ...found.facts, tip },
    ...repaired,
  }
}

function apply(asked: Asked, { answer }: Spoken & { type: 'answered' }) {
  const { site, request } = asked
  const { policy } = request.workflow
  const content = policy.limits?.content
  return applyEdits(answer['edits'], {
    ...{ worktree: site.task.worktree, folder: workspaceOf(request.workflow, request.values) },
    ...{ mayWrite: editScopeOf(request), testsReadOnly: policy.tests === 'read_only' },
    ...(content === undefined ? {} : { content }),
    putBack: () => backToStart(asked),
  })
}

/** A new try begins where the step began. */
export async function backToStart({ site, request, start }: Asked): Promise<void> {
  const message = `${request.step.role.title}: ${request.step.id}, before another try\n`
  await restoreTree(site.task, { to: start.tree, message, date: start.at, step: request.key })
}
