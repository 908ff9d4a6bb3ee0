import type { DurableContext } from '../model/durable.ts'
import type { JournalLine } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Performer, StepRequest } from '../model/step-result.ts'
import type { WorkStep } from '../model/workflow.ts'
import { countUndos, standingLines, undoOf } from '../model/undone.ts'
import { UnsafePathError } from '../platform/inside-file.ts'
import { performAction } from './actions.ts'
import { performAgent } from './agent-step.ts'
import type { Performed } from './agent-step.ts'
import { beginRun } from './begin-run.ts'
import { checkBranchGates } from './check-branch-gates.ts'
import { performCheck } from './check-step.ts'
import type { LastKnown } from './starting-point.ts'
import { markList, readList } from './task-lists.ts'
import { settleUndo } from './undo-run.ts'
import type { Site, Workplace } from './workplace.ts'

/**
 * Does the steps of one run. Between steps it holds only what the journal holds too: the place, and the tip and
 * tree that the last step ended with. Of a run that was taken back it is told all lines.
 */
export function createPerformer(workplace: Workplace, undone: readonly JournalLine[] = []): Performer {
  const tips = tipsAfterUndo(undone)
  let site: Site | undefined
  let last: LastKnown = { tip: '' }
  return {
    async begin(context, values) {
      const begun = await beginRun(context, workplace, values)
      await settleUndo(begun.task, begun.folder, undone)
      site = begun
      last = tips.get('') ?? { tip: begun.place.start }
      return begun.place
    },
    async perform(context, request) {
      if (!site) throw new Error('a step was performed before the run began')
      const performed = await performOne(context, request, { site, last }).catch(stopAtUnsafePath)
      last = tips.get(request.key) ?? performed.last
      return performed.result
    },
    async recheck(context, request) {
      if (!site) throw new Error('a step was checked before the run began')
      return checkBranchGates(context, request, { site, last })
    },
    async readList(context, list) {
      if (!site) throw new Error('a list was read before the run began')
      return readList(context, site, list).catch(stopAtUnsafePath)
    },
    async markList(context, marks) {
      if (!site) throw new Error('a list was marked before the run began')
      const marked = await markList(context, { site, last }, marks).catch(stopAtUnsafePath)
      last = marked.last
      return marked
    },
  }
}

/** By the visit that they follow: the commit of an undo is the engine's own, and nobody's work by hand. */
function tipsAfterUndo(recorded: readonly JournalLine[]): Map<string, LastKnown> {
  if (countUndos(recorded) === 0) return new Map()
  const undos = standingLines(recorded).filter(({ type }) => type === 'run.undone')
  return new Map(undos.map(undoOf).map(({ after, commit, tree }) => [after, { tip: commit, tree }] as const))
}

/** Where the engine's own file should be there is a link or a folder: a person has to look, then it goes on. */
function stopAtUnsafePath(error: unknown): never {
  if (!(error instanceof UnsafePathError)) throw error
  throw new FailureError({
    code: 'worktree.unsafe',
    message: `In the worktree, ${error.message}.`,
    next: 'Put a plain file or folder there (git -C <worktree> status), then: baton resume',
    exitCode: exitCodes.waiting,
  })
}

function performOne(
  context: DurableContext,
  request: StepRequest,
  { site, last }: { readonly site: Site; readonly last: LastKnown },
): Promise<Performed> {
  // As it came, not copied: a copy would ask for its values, which a replay can do without.
  if (isOf(request, 'agent')) return performAgent(context, { site, last, request })
  if (isOf(request, 'check')) return performCheck(context, { site, last, request })
  if (isOf(request, 'do')) return performAction(context, { site, last, request })
  throw new Error(`nobody performs '${request.step.id}'`)
}

function isOf<T extends WorkStep['type']>(
  request: StepRequest,
  type: T,
): request is StepRequest & { readonly step: Extract<WorkStep, { readonly type: T }> } {
  return request.step.type === type
}
