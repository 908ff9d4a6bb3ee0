import { expect, test } from 'vitest'
import { judgeAdd } from './add-verdict.ts'

test.each([
  ['nothing to complain about', 0, '', { type: 'complete' }],
  [
    'a mere warning',
    0,
    "warning: in the working copy of 'a', LF will be replaced by CRLF\n",
    { type: 'complete' },
  ],
  [
    'names that git does not store',
    1,
    "error: invalid path 'git~1'\nerror: unable to add 'git~1' to index\n",
    { type: 'complete' },
  ],
  [
    'such a name, and something else',
    1,
    "error: invalid path 'git~1'\nerror: unable to add 'git~1' to index\nfatal: unable to write new index file\n",
    { type: 'failed' },
  ],
  [
    'a file that may not be read',
    1,
    'error: open("a.txt"): Permission denied\nerror: unable to index file \'a.txt\'\n',
    { type: 'failed' },
  ],
  [
    'a folder that may not be opened',
    0,
    "warning: could not open directory 'a/': Permission denied\n",
    { type: 'failed' },
  ],
  ['a nested repository', 0, 'warning: adding embedded git repository: app\n', { type: 'nested' }],
  [
    'one without a commit',
    1,
    "error: 'app/' does not have a commit checked out\nerror: unable to index file 'app/'\n",
    { type: 'nested' },
  ],
  [
    'a file in another encoding, with a line break in its name',
    128,
    "fatal: failed to encode 'a\nb.txt' from UTF-16 to UTF-8\n",
    { type: 'unconvertible', path: 'a\nb.txt' },
  ],
  ['a lock', 128, "fatal: Unable to create '/x/index.lock': File exists.\n", { type: 'failed' }],
])('git add: %s', (_, code, stderr, verdict) => {
  expect(judgeAdd({ code, stderr })).toEqual(verdict)
})
