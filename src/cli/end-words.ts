import { exitCodes } from '../model/failure.ts'
import type { RunFacts } from '../model/run-state.ts'
import { shellWord } from '../model/shell-word.ts'
import { answerLine, nextCommand } from './next-command.ts'

interface Ended {
  readonly outcome: string
  readonly step: string
  readonly reason: string
}

/** How a process left a run, whether it tells so itself or its journal does. */
export type Ending =
  | { readonly type: 'finished'; readonly end: Ended; readonly exitCode: number }
  | { readonly type: 'paused'; readonly end: Ended }
  | {
      readonly type: 'waiting'
      readonly question: { readonly text: string; readonly verbs: readonly string[] }
    }
  | { readonly type: 'interrupted' | 'cancelled' }
  | { readonly type: 'refused'; readonly message: string; readonly next: string }

interface Left {
  readonly id: string
  readonly state: RunFacts
  /** What goes on with a run that pauses. */
  readonly goOn: string
}

/** The last words about a run, the same for who ran it and for who looked on. */
export function endWords(ending: Ending, left: Left): string {
  const words = closing(ending, left)
  return left.state.walls === 'down' ? `${words}\n${wallsDown}` : words
}

const wallsDown = 'The walls were down (sandbox: off): look at what else has changed on this machine.'

function closing(ending: Ending, { id, state, goOn }: Left): string {
  switch (ending.type) {
    case 'paused':
      return pausedText(ending.end, goOn)
    case 'finished':
      return finishedText(ending, { id, state })
    case 'waiting':
      return [
        `Run ${id} waits for you: ${beginning(ending.question.text)}`,
        ...ending.question.verbs.map((verb) => `  ${answerLine(verb, id)}`),
        ...(state.stays ? [] : [`Then: baton resume ${id}`]),
      ].join('\n')
    case 'interrupted':
      return `Run ${id} was interrupted; nothing is lost.\nGo on: baton resume ${id}`
    case 'cancelled':
      return `Run ${id} was cancelled. Its branch ${state.branch || '(none)'} is as the last step left it.`
    case 'refused':
      return `error: ${ending.message}\nnext: ${ending.next}`
  }
}

function pausedText({ outcome, step, reason }: Ended, next: string): string {
  const why = outcome === 'ok' ? '' : `'${step}' ended ${outcome}: ${reason.split('\n', 1)[0] ?? ''}\n`
  return `${why}Next: ${next}`
}

function finishedText(
  { end, exitCode }: Ending & { type: 'finished' },
  { id, state }: Omit<Left, 'goOn'>,
): string {
  const look = `baton show ${id}`
  if (exitCode === exitCodes.delivered)
    return `Run ${id} is delivered. To merge it into ${state.base}: git merge ${shellWord(state.branch)}\nLook: git log --graph --oneline ${shellWord(`${state.base}..${state.branch}`)}\n      ${look}`
  if (end.outcome === 'time' || end.outcome === 'spending')
    return `Run ${id} stopped${atStep('after', end.step)}: ${end.reason}.\nGo on: ${nextCommand(state)}`
  return `Run ${id} ended ${end.outcome}${atStep('at', end.step)}: ${end.reason.split('\n', 1)[0] ?? ''}\nLook: ${look}`
}

/** Also where not even the first has ended, or where a level has ended the run. */
function atStep(word: 'after' | 'at', step: string): string {
  return step === '' ? '' : ` ${word} '${step}'`
}

/** A failing test has a whole log to say; what there is to type must not scroll away under it. */
function beginning(text: string): string {
  const lines = text.split('\n')
  return lines.length <= 6
    ? text
    : [...lines.slice(0, 6), `... (${lines.length - 6} more lines: baton logs)`].join('\n')
}
