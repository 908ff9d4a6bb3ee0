import type { Cut } from './workflow.ts'

/** The beginning and the end of a long text, with a mark between them. Counted in characters, none of them halved. */
export function cutText(text: string, { above, head, between, tail }: Cut): string {
  // No text has more characters than code units: most need not be counted.
  if (text.length <= above) return text
  const characters = Array.from(text)
  if (characters.length <= above) return text
  return `${characters.slice(0, head).join('')}${between}${characters.slice(-tail).join('')}`
}

export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
