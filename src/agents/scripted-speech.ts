import type { Json } from '../model/json.ts'
import { expandValue, variablesOf } from '../model/template.ts'
import { half, render } from './render-answer.ts'
import type { Call } from './script-schema.ts'
import { eventLine, isStream } from './scripted-events.ts'
import { surroundings, textOf, type Stage } from './scripted-stage.ts'

// A part of the program of a scripted agent, so it loads what starts processes only for a call that needs it.

export async function speak(stage: Stage): Promise<void> {
  const { prints, flood, answer, as, after, ends } = stage.call
  // Before anything is printed: an agent that fails must not have answered.
  const last = after === undefined ? undefined : asLines(textOf(stage, after))
  if (prints !== undefined) await print(stage.call, asLines(textOf(stage, prints)))
  if (flood !== undefined) await printFlood(stage.call, flood)
  if (answer !== undefined) {
    const answered = render(await answerOf(stage, answer), as ?? 'fenced')
    if (ends?.type === 'partial') return print(stage.call, half(answered))
    if (answered !== '') await print(stage.call, answered)
  }
  if (last !== undefined) await print(stage.call, last)
}

async function answerOf(stage: Stage, answer: Json): Promise<Json> {
  if (stage.call.template === false) return answer
  if (!variablesOf(JSON.stringify(answer)).includes('commit')) return expandValue(answer, stage.values)
  const { captureCommand } = await import('../platform/capture.ts')
  const head = await captureCommand(['git', 'rev-parse', '--short', 'HEAD'], surroundings(stage))
  if (head.code !== 0) throw new Error(`no commit to speak of: ${head.stderr.trim()}`)
  return expandValue(answer, { ...stage.values, commit: head.stdout.toString().trim() })
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

/** Exactly so many bytes. Every block waits until it has been taken. */
async function printFlood(call: Call, bytes: number): Promise<void> {
  const line = 'a line of a flood, which says nothing and goes on and on and on and on and on\n'
  const block = Buffer.from(line.repeat(8192))
  for (let left = bytes; left > 0; left -= block.length) {
    await print(call, left >= block.length ? block : `${block.toString('utf8', 0, left - 1)}\n`)
  }
}

/** In a stream everything that is said is an event. */
function print(call: Call, text: string | Uint8Array): Promise<void> {
  return write(isStream(call) ? eventLine({ type: 'text', text: Buffer.from(text).toString() }) : text)
}

/** Resolves when the text has been handed over, so that what a command prints after it also comes after it. */
export function write(text: string | Uint8Array): Promise<void> {
  return new Promise((done) => process.stdout.write(text, () => done()))
}

export function complain(reasons: readonly string[], code: number): number {
  for (const reason of reasons) process.stderr.write(`scripted agent: ${reason}\n`)
  return code
}
