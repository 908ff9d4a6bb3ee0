import type { DurableContext } from '../model/durable.ts'
import type { StepResult } from '../model/step-result.ts'
import { shellWord } from '../model/shell-word.ts'
import { isAncestor } from '../git/facts.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Performed } from './agent-step.ts'
import { currentBase, fetchBase } from './current-base.ts'
import { startingPoint } from './starting-point.ts'

/** Local delivery: the branch is ready, and this is the line that merges it. The base itself is never touched. */
export async function deliverBranch(
  context: DurableContext,
  { site, request, last }: ActionVisit,
): Promise<Performed> {
  const { key } = request
  const start = await startingPoint(context, site, { key, last })
  await fetchBase(context, site, key)
  const state = await context.step<{ ready: boolean; base: string }>(`${key}/deliver`, async () => {
    const base = await currentBase(site)
    return { base, ready: await isAncestor(site.repo, base, start.tip) }
  })
  const command = `git merge ${shellWord(site.task.branch)}`
  const facts = { merge_command: command, base: site.base.name, base_commit: state.base }
  const common = { writes: [], gates: [], facts, commit: start.tip }
  if (request.values['deliver'] === 'none') {
    return { result: { ...common, outcome: 'ok', label: 'none' }, last: { tip: start.tip, tree: start.tree } }
  }
  const moved = `'${site.base.name}' has moved to ${state.base.slice(0, 12)} and is not part of the branch`
  const result: StepResult = state.ready
    ? { ...common, outcome: 'ok' }
    : { ...common, outcome: 'revise', label: 'moved', reason: moved }
  return { result, last: { tip: start.tip, tree: start.tree } }
}
