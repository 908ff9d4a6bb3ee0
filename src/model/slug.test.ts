import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { featureOf, slugOf } from './slug.ts'

describe('the slug of a task', () => {
  it('of the seed’s example is dark-mode-toggle (C-23, R001-155, R001-140)', () => {
    expect(slugOf('Add a simple Dark Mode toggle to the main settings page. Use a checkbox.')).toBe(
      'dark-mode-toggle',
    )
  })

  it.each([
    ['the leading verb is dropped', 'Fix crash', 'crash'],
    ['a verb alone is kept', 'Refactor', 'refactor'],
    ['filler is dropped', 'Please add a very small new button', 'button'],
    ['it is cut before the first preposition', 'Add login with OAuth in the browser', 'login'],
    ['it has at most four words', 'Rewrite alpha beta gamma delta epsilon', 'rewrite-alpha-beta-gamma'],
    ['only the first sentence counts', 'Add search. Then remove it.', 'search'],
    ['only the first line counts', 'Add search\nand more', 'search'],
    ['dots inside words end no sentence', 'Update node.js runtime', 'node-js-runtime'],
    ['apostrophes join', "Fix user's avatar", 'users-avatar'],
    ['accents fall', 'Füge Größe hinzu', 'fuge-gro-e-hinzu'],
    ['case falls', 'ADD LOGIN', 'login'],
    ['digits stay', 'Support HTTP 2', 'http-2'],
    ['nothing but filler keeps its words', 'the new', 'the-new'],
    ['a preposition first is kept', 'Fix in memory cache', 'in-memory-cache'],
  ])('%s', (_title, task, slug) => {
    expect(slugOf(task)).toBe(slug)
  })

  it.each(['', '   ', '!!!', '日本語のタスク', '🎉'])(
    'of %j, which has no letters for it, is task',
    (text) => {
      expect(slugOf(text)).toBe('task')
    },
  )

  it('of one long word is its beginning', () => {
    expect(slugOf('a'.repeat(100))).toBe('a'.repeat(40))
    expect(slugOf(`Add tokenizer ${'b'.repeat(60)}`)).toBe('tokenizer')
  })

  it('is always a short kebab-case name that fits a branch', () => {
    assert(
      property(string({ unit: 'grapheme' }), (text) => {
        const slug = slugOf(text)
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slug.length).toBeLessThanOrEqual(40)
        expect(slug.split('-').length).toBeLessThanOrEqual(4)
      }),
    )
  })

  it('as the feature of a document has underscores (C-23)', () => {
    expect(featureOf('dark-mode-toggle')).toBe('dark_mode_toggle')
  })
})
