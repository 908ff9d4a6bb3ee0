const fillers = new Set([
  ...[
    'a',
    'an',
    'the',
    'some',
    'simple',
    'simply',
    'small',
    'new',
    'basic',
    'quick',
    'please',
    'just',
    'very',
  ],
  ...[
    'my',
    'our',
    'its',
    'this',
    'that',
    'is',
    'are',
    'be',
    'should',
    'must',
    'can',
    'could',
    'we',
    'i',
    'you',
  ],
])

const verbs = new Set([
  ...['add', 'fix', 'create', 'make', 'implement', 'build', 'write', 'update', 'change', 'remove', 'delete'],
  ...[
    'refactor',
    'improve',
    'introduce',
    'support',
    'allow',
    'enable',
    'let',
    'find',
    'investigate',
    'research',
  ],
  ...['repair', 'correct', 'resolve', 'rename', 'replace', 'move', 'extend', 'use', 'show', 'handle'],
])

const prepositions = new Set([
  ...[
    'to',
    'in',
    'on',
    'at',
    'for',
    'from',
    'with',
    'without',
    'into',
    'onto',
    'of',
    'by',
    'as',
    'when',
    'while',
  ],
  ...[
    'so',
    'because',
    'if',
    'where',
    'which',
    'after',
    'before',
    'via',
    'using',
    'under',
    'over',
    'than',
    'and',
  ],
])

/**
 * A short name for a task: the first sentence, leading verb and filler dropped, cut before the first
 * preposition, at most four words and 40 characters (C-23; the seed's example gives `dark-mode-toggle`).
 */
export function slugOf(task: string): string {
  const words = wordsOf(firstSentence(task))
  const spoken = words.filter((word) => !fillers.has(word))
  const named = spoken.length > 1 && verbs.has(spoken[0] ?? '') ? spoken.slice(1) : spoken
  return fit(beforePreposition(named)) || fit(words) || 'task'
}

/** The slug as it stands in file names of documents: `dark_mode_toggle`. */
export function featureOf(slug: string): string {
  return slug.replaceAll('-', '_')
}

function firstSentence(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.split(/[.!?;:](?:\s|$)/, 1)[0] ?? ''
}

function wordsOf(sentence: string): string[] {
  const plain = sentence.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.replaceAll(/['\u2019]/g, '').match(/[a-z0-9]+/g) ?? []
}

function beforePreposition(words: readonly string[]): readonly string[] {
  const cut = words.findIndex((word, index) => index > 0 && prepositions.has(word))
  return cut === -1 ? words : words.slice(0, cut)
}

function fit(words: readonly string[]): string {
  let slug = ''
  for (const word of words.slice(0, 4)) {
    const longer = slug === '' ? word : `${slug}-${word}`
    if (longer.length > 40) break
    slug = longer
  }
  return slug || (words[0] ?? '').slice(0, 40)
}
