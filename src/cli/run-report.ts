import type { Json } from '../model/json.ts'
import { exitCodes } from '../model/failure.ts'
import type { SessionEnd } from './run-session.ts'
import type { Output } from './output.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { RunFacts } from '../model/run-state.ts'
import type { Workflow } from '../model/workflow.ts'
import { nextCommand } from './next-command.ts'
import type { RolledBack } from './roll-back.ts'
import { goOnWith } from './verb-line.ts'

export interface Reported {
  readonly folder: RunFolder
  readonly repository: string
  readonly state: RunFacts
  readonly workflow: Workflow
  readonly rolledBack?: RolledBack
}

const wallsDown = 'The walls were down (sandbox: off): look at what else has changed on this machine.'

/** The last words of `run` and `resume`, and the document for `--json`. */
export function reportEnd(output: Output, end: SessionEnd, reported: Reported): number {
  const { state, rolledBack } = reported
  const words = [
    closing(end, reported),
    ...(rolledBack ? [rolledBack.words] : []),
    ...(state.walls === 'down' ? [wallsDown] : []),
  ].join('\n')
  output.result(words, documentOf(end, reported))
  return end.exitCode
}

function closing(end: SessionEnd, { folder, state, workflow }: Reported): string {
  const { id } = folder
  switch (end.type) {
    case 'paused':
      return pausedText(end, goOnWith(workflow, state))
    case 'finished':
      return finishedText(end, { id, state })
    case 'waiting':
      return [
        `Run ${id} waits for you: ${beginning(end.question.text)}`,
        ...end.question.verbs.map((verb) => `  baton ${verb} ${id}${verb === 'approve' ? '' : ' "<text>"'}`),
        `Then: baton resume ${id}`,
      ].join('\n')
    case 'interrupted':
      return `Run ${id} was interrupted; nothing is lost.\nGo on: baton resume ${id}`
    case 'cancelled':
      return `Run ${id} was cancelled. Its branch ${state.branch || '(none)'} is as the last step left it.`
  }
}

function pausedText({ end }: SessionEnd & { type: 'paused' }, next: string): string {
  const why =
    end.outcome === 'ok' ? '' : `'${end.step}' ended ${end.outcome}: ${end.reason.split('\n', 1)[0] ?? ''}\n`
  return `${why}Next: ${next}`
}

function finishedText(
  end: SessionEnd & { type: 'finished' },
  { id, state }: { id: string; state: RunFacts },
): string {
  const look = `baton show ${id}`
  if (end.exitCode === exitCodes.delivered)
    return `Run ${id} is delivered. To merge it into ${state.base}: git merge ${state.branch}\nLook: git log --graph --oneline ${state.base}..${state.branch}\n      ${look}`
  if (end.end.outcome === 'time' || end.end.outcome === 'spending')
    return `Run ${id} stopped${atStep('after', end.end.step)}: ${end.end.reason}.\nGo on: ${nextCommand(state)}`
  return `Run ${id} ended ${end.end.outcome}${atStep('at', end.end.step)}: ${end.end.reason.split('\n', 1)[0] ?? ''}\nLook: ${look}`
}

/** Also where not even the first has ended, or where a level has ended the run. */
function atStep(word: 'after' | 'at', step: string): string {
  return step === '' ? '' : ` ${word} '${step}'`
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

/** A failing test has a whole log to say; what there is to type must not scroll away under it. */
function beginning(text: string): string {
  const lines = text.split('\n')
  return lines.length <= 6
    ? text
    : [...lines.slice(0, 6), `... (${lines.length - 6} more lines: baton logs)`].join('\n')
}
