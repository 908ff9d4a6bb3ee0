import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { overwrite } from './overwrite.ts'

describe('a small file changed where it is', () => {
  let dir: string
  const at = (name: string): string => join(dir, name)
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'baton-overwrite-'))
    writeFileSync(at('pointer'), 'gitdir: /long/way\n')
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  test('holds the new content, and empty lines where the old one was longer', () => {
    expect(overwrite(at('pointer'), 'gitdir: /x\n')).toBe(true)
    expect(readFileSync(at('pointer'), 'utf8')).toBe('gitdir: /x\n'.padEnd(18, '\n'))
    expect(overwrite(at('pointer'), 'gitdir: /a/longer/way/still\n')).toBe(true)
    expect(readFileSync(at('pointer'), 'utf8')).toBe('gitdir: /a/longer/way/still\n')
  })

  test('is not written again where it says the same', () => {
    const before = statSync(at('pointer')).mtimeMs
    expect(overwrite(at('pointer'), 'gitdir: /long/way\n')).toBe(true)
    expect(statSync(at('pointer')).mtimeMs).toBe(before)
  })

  test('is never written through a link, of either kind: it would lead to a place that somebody else has chosen', () => {
    writeFileSync(at('victim'), 'mine\n')
    symlinkSync(at('victim'), at('soft'))
    linkSync(at('victim'), at('hard'))
    expect(overwrite(at('soft'), 'gitdir: /x\n')).toBe(false)
    expect(overwrite(at('hard'), 'gitdir: /x\n')).toBe(false)
    expect(readFileSync(at('victim'), 'utf8')).toBe('mine\n')
  })

  test('is replaced and not written where others can write it too, and is never read whole where it is huge', () => {
    chmodSync(at('pointer'), 0o666)
    expect(overwrite(at('pointer'), 'gitdir: /long/way\n')).toBe(false)
    truncateSync(at('pointer'), 2 ** 40)
    expect(overwrite(at('pointer'), 'gitdir: /x\n')).toBe(false)
  })

  test('is left alone where there is none, where it is a folder, and where it is far too long for a pointer', () => {
    writeFileSync(at('long'), 'x'.repeat(100_000))
    expect([at('none'), dir, at('long')].map((path) => overwrite(path, 'gitdir: /x\n'))).toEqual([
      false,
      false,
      false,
    ])
    expect(statSync(at('long')).size).toBe(100_000)
  })
})
