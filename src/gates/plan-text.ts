/** What a plan names, split once, so that asking about many paths stays cheap. */
export interface PlanText {
  readonly text: string
  readonly words: ReadonlySet<string>
}

export function readPlan(text: string): PlanText {
  return { text, words: new Set(pathWords(text)) }
}

/** By its path, by its file name, or by a folder above it that is written with a slash at its end. */
export function mentions({ text, words }: PlanText, path: string): boolean {
  const parts = path.split('/')
  const folders = parts.slice(0, -1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
  if ([path, parts.at(-1) ?? path, ...folders].some((name) => words.has(name))) return true
  return /\s/.test(path) && text.includes(path)
}

/** Whether a paragraph that names the file also says one of the words. */
export function saysAbout(plan: PlanText, path: string, saying: RegExp): boolean {
  return plan.text
    .split(/\n[^\S\n]*\n/)
    .some((paragraph) => saying.test(paragraph) && mentions(readPlan(paragraph), path))
}

/** Words as they would be typed: without the quotes, brackets and marks around them, or a line number behind. */
export function pathWords(text: string): string[] {
  return text.split(/[\s`'"<>()[\]{},;|]+/).flatMap((word) => {
    const bare = word.replace(/^\.\//, '').replace(/[.:!?]+$/, '')
    const path = bare.replace(/:\d[\d:-]*$/, '').replace(/\/\*{1,2}$/, '/')
    return path === '' || path === '/' ? [] : [path]
  })
}
