import type { Finding } from './finding.ts'

/** How two findings are alike: the same words about the same file, or about another one. */
export type Likeness = 'same' | 'elsewhere'

const alike = 0.6

/**
 * Reviewers are fresh processes: they word a finding anew and may number it anew. So it is known by what it
 * says, and its number only helps where the words differ a little more.
 */
export function likeness(one: Finding, other: Finding): Likeness | undefined {
  const share = sharedWords(one.about, other.about)
  const isSamePlace = pathOf(one.place) === pathOf(other.place)
  const needed = isSamePlace && one.id !== '' && one.id === other.id ? alike / 2 : alike
  if (share < needed) return undefined
  return isSamePlace ? 'same' : 'elsewhere'
}

function pathOf(place: string): string {
  return place.replace(/:\d+(?::\d+)?$/, '').replace(/^\.\//, '')
}

/** Of all words of both, the share that both have (Jaccard). */
function sharedWords(one: string, other: string): number {
  const [mine, theirs] = [wordsOf(one), wordsOf(other)]
  if (mine.size === 0 || theirs.size === 0) return 0
  const common = [...mine].filter((word) => theirs.has(word)).length
  return common / (mine.size + theirs.size - common)
}

/** Words that say what is wrong. Where it is wrong, how badly and since when is left out. */
function wordsOf(text: string): Set<string> {
  // Word by word: one pattern over the whole text would take the square of its length where it has no spaces.
  const withoutPaths = text.split(/\s+/).filter((word) => !isPath(word))
  const words =
    withoutPaths
      .join(' ')
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  return new Set(words.filter((word) => !unimportant.has(word)))
}

function isPath(word: string): boolean {
  return /[/\\:]/.test(word) || /\.[a-z]{1,4}[,;)'"`]*$/i.test(word)
}

const unimportant = new Set(
  (
    'the and for are was were has have had that this these those with not but its into from when then than ' +
    'still again also only now does did can could should would must may might been being here there where ' +
    'which what who how why all any each some such resolved open blocker major minor finding round review'
  ).split(' '),
)
