/** In a text that is JSON: a string with a colon behind it, which is a key, any other string, or a brace. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g

/**
 * A key that stands more than once in the same object. A parser takes the last of them without a word, so that an
 * object with two verdicts would be one with the second.
 */
export function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = []
  for (const [text, quoted] of json.matchAll(token)) {
    if (text === '{') open.push(new Set())
    else if (text === '}') open.pop()
    if (quoted === undefined) continue
    // Decoded, since a letter may be written in more than one way.
    const key: string = JSON.parse(quoted)
    if (open.at(-1)?.has(key) === true) return key
    open.at(-1)?.add(key)
  }
  return undefined
}
