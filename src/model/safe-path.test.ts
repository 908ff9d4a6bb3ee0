import { describe, expect, it } from 'vitest'
import { pathKey, pathProblem } from './safe-path.ts'

describe('the path of a file in an answer', () => {
  it.each(['a', 'src/stats.py', '.github/x.yml', 'a b/c', 'ü/日本.md', 'a..b', '.gitignore', 'console.py'])(
    'may be %j',
    (path) => {
      expect(pathProblem(path)).toBeUndefined()
    },
  )

  it.each([
    ['', 'is empty'],
    ['/etc/passwd', 'is an absolute path'],
    ['C:/x', 'is an absolute path'],
    ['\\\\host\\x', 'is an absolute path'],
    ['a\\b', 'holds a backslash'],
    ['a/../b', 'leads elsewhere (. or ..)'],
    ['./a', 'leads elsewhere (. or ..)'],
    ['a//b', 'is not the path of a file'],
    ['a/', 'is not the path of a file'],
    ['a\0b', 'holds a control character'],
    ['a\nb', 'holds a control character'],
    ['src/*.py', 'holds a character that not every system takes in a name'],
    ['src/a:stream', 'holds a character that not every system takes in a name'],
    ['.git/config', 'is in a git directory'],
    ['sub/.GIT/config', 'is in a git directory'],
    ['git~1/config', 'is in a git directory'],
    ['.g\u200Bit/config', 'holds a character without a shape'],
    ['.baton/config.yaml', "is in Baton's own folder"],
    ['src/NUL', 'is the name of a device'],
    ['com1.txt', 'is the name of a device'],
    ['ＮＵＬ', 'is the name of a device'],
    ['a. ', 'has a name that ends in a dot or a space, or begins with one'],
    ['\uD800', 'holds half a character'],
    ['a'.repeat(256), 'has a name that is too long'],
    ['a/'.repeat(600), 'is too long'],
  ])('R003-87: cannot be %j, which %s', (path, reason) => {
    expect(pathProblem(path)).toBe(reason)
  })

  it('is the same file where case or normal form are all that differs', () => {
    expect(pathKey('SRC/É.py')).toBe(pathKey('src/E\u0301.py'))
    expect(pathKey('src/a.py')).not.toBe(pathKey('src/b.py'))
  })
})
