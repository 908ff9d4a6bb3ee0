import type { Json } from '../model/json.ts'
import { exitCodes } from '../model/failure.ts'
import type { SessionEnd } from './run-session.ts'
import type { Output } from './output.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { RunFacts } from '../model/run-state.ts'
import type { Workflow } from '../model/workflow.ts'
import { endWords } from './end-words.ts'
import type { RolledBack } from './roll-back.ts'
import { goOnWith } from './verb-line.ts'

export interface Reported {
  readonly folder: RunFolder
  readonly repository: string
  readonly state: RunFacts
  readonly workflow: Workflow
  readonly rolledBack?: RolledBack
}

/** The last words of `run` and `resume`, and the document for `--json`. */
export function reportEnd(output: Output, end: SessionEnd, reported: Reported): number {
  const { folder, state, workflow, rolledBack } = reported
  const goOn = end.type === 'paused' ? goOnWith(workflow, state) : ''
  // Whoever says this goes.
  const words = endWords(end, { id: folder.id, state: { ...state, stays: false }, goOn })
  output.result(rolledBack ? `${words}\n${rolledBack.words}` : words, documentOf(end, reported))
  return end.exitCode
}

function documentOf(end: SessionEnd, reported: Reported): Json {
  const { folder, repository, state, workflow, rolledBack } = reported
  return {
    run: folder.id,
    outcome: outcomeOf(end),
    exit_code: end.exitCode,
    repository,
    base: state.base,
    branch: state.branch,
    worktree: state.worktree,
    journal: folder.journal,
    ...(state.walls === '' ? {} : { walls: state.walls }),
    ...(end.type === 'waiting' ? { question: end.question.text, verbs: [...end.question.verbs] } : {}),
    ...((end.type === 'finished' || end.type === 'paused') && end.end.reason !== ''
      ? { step: end.end.step, reason: end.end.reason }
      : {}),
    ...(end.type === 'paused' ? { ended: end.end.outcome, next: goOnWith(workflow, state) } : {}),
    ...(rolledBack ? { rolled_back: rolledBack.document } : {}),
  }
}

function outcomeOf(end: SessionEnd): string {
  if (end.type !== 'finished') return end.type
  return end.exitCode === exitCodes.delivered ? 'delivered' : end.end.outcome
}
