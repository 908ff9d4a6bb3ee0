import { open } from 'node:fs/promises'
import { cutText } from '../model/cut.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readRange } from '../platform/files.ts'

/** More than any cut of a workflow keeps, and less than what makes a journal heavy. */
const bounds = { above: 50_000, head: 30_000, between: '\n...\n', tail: 15_000 }
const mostBytes = 400_000

/**
 * What a command printed, its error output last, for a value of the journal. The beginning and the end are exact, so
 * that whoever shortens it further comes to the same as with the whole.
 */
export async function readOutput(files: readonly string[], mostLength: number): Promise<string> {
  const parts = await Promise.all(files.map(readBounded))
  const whole = parts.join('')
  let { above, head, tail } = bounds
  let text = cutText(whole, bounds)
  // Control characters are six times as long in JSON.
  while (JSON.stringify(text).length > mostLength && head > 1) {
    ;[above, head, tail] = [Math.floor(above / 2), Math.floor(head / 2), Math.floor(tail / 2)]
    text = cutText(whole, { ...bounds, above, head, tail })
  }
  return text
}

/** Of a file that is too large its beginning and its end; no character is halved. */
async function readBounded(path: string): Promise<string> {
  await using file = await unlessMissing(open(path, 'r'))
  if (!file) return ''
  const { size } = await file.stat()
  if (size <= mostBytes) return (await readRange(file, 0, size)).toString()
  const head = (await readRange(file, 0, mostBytes / 2)).toString().replace(/\uFFFD+$/, '')
  const tail = (await readRange(file, size - mostBytes / 2, mostBytes / 2)).toString().replace(/^\uFFFD+/, '')
  return `${head}\n...\n${tail}`
}
