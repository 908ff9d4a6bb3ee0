import { describe, expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { comesBackSame, takeInventory } from './inventory.ts'
import { planSaving } from './remove-worktree.ts'

describe('a text comes back from a checkout as it is', () => {
  const lf = { index: 'lf', worktree: 'lf', attributes: '' }
  test.each([
    ['where nothing is converted', lf, {}, true],
    ['with a carriage return that git keeps', { ...lf, index: 'mixed', worktree: 'mixed' }, {}, true],
    [
      'not with one that a checkout would not write',
      { ...lf, worktree: 'crlf', attributes: 'text=auto' },
      {},
      false,
    ],
    [
      'with one that the attributes ask for',
      { ...lf, worktree: 'crlf', attributes: 'text eol=crlf' },
      {},
      true,
    ],
    ['not without it', { ...lf, attributes: 'text eol=crlf' }, {}, false],
    ['with one that the settings ask for', { ...lf, worktree: 'crlf' }, { 'core.autocrlf': 'true' }, true],
    ['not without it, either', lf, { 'core.autocrlf': 'true' }, false],
    ['not if its ends are mixed', { ...lf, worktree: 'mixed', attributes: 'text=auto' }, {}, false],
    ['if it is binary', { index: '-text', worktree: '-text', attributes: 'text=auto' }, {}, true],
    [
      'not if it is binary and taken for a text',
      { index: '-text', worktree: '-text', attributes: 'text' },
      {},
      false,
    ],
    ['if it is never converted', { index: 'crlf', worktree: 'crlf', attributes: '-text' }, {}, true],
  ])('%s', (_title, entry, config, expected) => {
    expect(comesBackSame(entry, config)).toBe(expected)
  })
})

describe('the inventory of a worktree', () => {
  test('names what a snapshot would not hold, and changes with it', async () => {
    const { task } = await makeTask({ 'README.md': 'hello\n', '.gitignore': 'cache/\n' })
    await writeFiles(task.worktree, { 'new.txt': 'new\n', 'cache/a.bin': '12345', 'src/b.txt': 'b\n' })
    const first = await takeInventory(task, 'expected')
    expect(first.beside).toEqual([
      { path: 'cache', bytes: 0, isFolder: true, isIgnored: false },
      { path: 'cache/a.bin', bytes: 5, isFolder: false, isIgnored: true },
    ])
    await writeFiles(task.worktree, { 'cache/a.bin': '123456' })
    expect((await takeInventory(task, 'expected')).signature).not.toBe(first.signature)
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('?? new.txt\n?? src/')
  })

  test('is saved up to a limit; ignored files may be given up, others not', async () => {
    const beside = [
      { path: 'cache/a', bytes: 900, isFolder: false, isIgnored: true },
      { path: 'nested/.git/HEAD', bytes: 90, isFolder: false, isIgnored: false },
    ]
    const inventory = { bytes: 990, beside, signature: '' }
    expect(planSaving(inventory, { maxBytes: 989, dropIgnored: false })).toMatchObject({
      type: 'leave',
      bytes: 990,
    })
    expect(planSaving(inventory, { maxBytes: 989, dropIgnored: true })).toEqual({
      ...{ type: 'save', names: ['nested/.git/HEAD'], bytes: 90 },
    })
    expect(planSaving(inventory, { maxBytes: 89, dropIgnored: true })).toMatchObject({
      type: 'leave',
      bytes: 90,
    })
  })
})
