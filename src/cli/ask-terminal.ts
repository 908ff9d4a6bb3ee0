import type { Interface } from 'node:readline/promises'
import type { PersonMessage, PersonVerb, Question } from '../model/durable.ts'
import { wordsNeeded } from '../views/words.ts'
import { printable } from '../model/outside-text.ts'
import { personVerbs } from '../model/durable.ts'

export interface Terminal {
  /** Throws away what was typed before anybody was asked. */
  readonly discardTyped: () => void
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Loaded when somebody is asked: most commands never do. */
async function readerOf({ input, output, discardTyped }: Terminal, question: string): Promise<Interface> {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input, output })
  output.write(question)
  // Now that it edits lines the terminal gives half ones too; nothing is read before this turn of the loop is over.
  discardTyped()
  return reader
}

/** Asks at the terminal. An empty line or Ctrl-D leaves the question for later; free text without a verb is an answer. */
export function askAtTerminal(terminal: Terminal) {
  const { output } = terminal
  return async (question: Question, signal: AbortSignal): Promise<PersonMessage | undefined> => {
    const takes = question.verbs.map((verb) => help[verb]).join('\n  ')
    const reader = await readerOf(terminal, `\n${printable(question.text)}\n  ${takes}\n`)
    // Readline takes Ctrl-C for itself; at a question it means what it means everywhere else.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
    try {
      for (;;) {
        const typed = await Promise.race([
          reader.question('(empty line: decide later) > ', { signal }),
          closed,
        ])
        if (typed.trim() === '') return undefined
        const message = readTyped(typed, question.verbs)
        if (typeof message !== 'string') return { id: `terminal-${Date.now()}`, ...message }
        output.write(`${message}\n`)
      }
    } finally {
      reader.close()
    }
  }
}

/** Anything but a yes is a no. */
export function askYesNo(terminal: Terminal) {
  return async (question: string): Promise<boolean> => {
    const reader = await readerOf(terminal, '')
    const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
    try {
      const typed = await Promise.race([reader.question(`${question} [y/N] `), closed])
      return /^y(?:es)?$/i.test(typed.trim())
    } finally {
      reader.close()
    }
  }
}

const help: Readonly<Record<PersonVerb, string>> = {
  approve: 'approve            go on as if it had ended ok, or run it again after a failure',
  reject: 'reject <reason>    send it back with your reason',
  answer: 'answer <text>      run the step again with your words',
}

/** The first word is the verb; nothing but the word itself approves. What is not taken gives the words that say so. */
function readTyped(
  typed: string,
  verbs: readonly PersonVerb[],
): { readonly verb: PersonVerb; readonly text: string } | string {
  const [, first = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? []
  const said = personVerbs.find((one) => one === first.toLowerCase())
  const [verb, text] = said === undefined ? (['answer', typed.trim()] as const) : ([said, rest] as const)
  const isAlone = text === ''
  if (!verbs.includes(verb) || (verb === 'approve' && !isAlone))
    return `This question takes: ${verbs.join(', ')}`
  return verb !== 'approve' && isAlone ? wordsNeeded(verb) : { verb, text }
}
