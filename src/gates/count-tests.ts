import type { TestLanguage } from './test-languages.ts'

export interface TestCounts {
  readonly cases: number
  readonly assertions: number
  /** The lines that leave cases out, without their indentation. */
  readonly skips: readonly string[]
}

export const noTests: TestCounts = { cases: 0, assertions: 0, skips: [] }

/** What a reader of the file would count. Comments are no tests, and what always holds is no assertion. */
export function countTests(text: string, language: TestLanguage): TestCounts {
  let cases = 0
  let assertions = 0
  const skips: string[] = []
  for (const line of codeLines(text, language)) {
    cases += matches(line, language.cases)
    if (!alwaysHolds.test(line)) assertions += matches(line, language.assertions)
    if (matches(line, language.skips) > 0) skips.push(line.trim())
  }
  return { cases, assertions, skips }
}

/** What is behind it in a longer line is generated or data. Bounded, so that no pattern has much to try. */
const longestLine = 2000

const alwaysHolds =
  /\b(?:expect|assert\w*!?|ok)(?:\.\w+)?(?:\s*\(\s*(?:true|1)\s*(?:,\s*(?:true|1)\s*)?\)|\s+(?:true|1)\s*(?:$|[;,]|==\s*1\b))/i

function* codeLines(text: string, { comments }: TestLanguage): Generator<string> {
  let closing: string | undefined
  for (const whole of text.split('\n')) {
    const line = whole.slice(0, longestLine)
    const trimmed = line.trimStart()
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined
      continue
    }
    closing = opened(trimmed, comments)
    if (closing !== undefined) continue
    if (trimmed.startsWith(comments.line) && comments.unless?.test(line) !== true) continue
    yield line
  }
}

/** The mark that would end a comment of several lines, or a text of which nothing is run, that begins here. */
function opened(trimmed: string, { line, open, close }: TestLanguage['comments']): string | undefined {
  const quote = line === '#' ? ['"""', "'''"].find((mark) => trimmed.startsWith(mark)) : undefined
  if (quote !== undefined) return trimmed.slice(quote.length).includes(quote) ? undefined : quote
  if (open === undefined || close === undefined || !trimmed.startsWith(open)) return undefined
  return trimmed.includes(close) ? undefined : close
}

function matches(line: string, pattern: RegExp): number {
  return [...line.matchAll(pattern)].length
}
