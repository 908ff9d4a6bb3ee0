import type { Interface } from 'node:readline/promises'
import type { PersonMessage, PersonVerb, Question } from '../model/durable.ts'
import { printable } from '../model/outside-text.ts'
import { personVerbs } from '../model/durable.ts'

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Loaded when somebody is asked: most commands never do. */
async function readerOf(terminal: Terminal): Promise<Interface> {
  const { createInterface } = await import('node:readline/promises')
  return createInterface(terminal)
}

/** Asks at the terminal. An empty line or Ctrl-D leaves the question for later; free text without a verb is an answer. */
export function askAtTerminal({ input, output }: Terminal) {
  return async (question: Question, signal: AbortSignal): Promise<PersonMessage | undefined> => {
    const reader = await readerOf({ input, output })
    // Readline takes Ctrl-C for itself; at a question it means what it means everywhere else.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
    try {
      output.write(
        `\n${printable(question.text)}\n  ${question.verbs.map((verb) => help[verb]).join('\n  ')}\n`,
      )
      for (;;) {
        const typed = await Promise.race([
          reader.question('(empty line: decide later) > ', { signal }),
          closed,
        ])
        if (typed.trim() === '') return undefined
        const message = readTyped(typed, question.verbs)
        if (message) return { id: `terminal-${Date.now()}`, ...message }
        output.write(`This question takes: ${question.verbs.join(', ')}\n`)
      }
    } finally {
      reader.close()
    }
  }
}

/** Anything but a yes is a no. */
export function askYesNo({ input, output }: Terminal) {
  return async (question: string): Promise<boolean> => {
    const reader = await readerOf({ input, output })
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

/** The first word is the verb; nothing but the word itself approves. */
function readTyped(
  typed: string,
  verbs: readonly PersonVerb[],
): { readonly verb: PersonVerb; readonly text: string } | undefined {
  const [, first = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? []
  const verb = personVerbs.find((one) => one === first.toLowerCase())
  if (verb === 'approve' && rest !== '') return undefined
  if (verb !== undefined) return verbs.includes(verb) ? { verb, text: rest } : undefined
  return verbs.includes('answer') ? { verb: 'answer', text: typed.trim() } : undefined
}
