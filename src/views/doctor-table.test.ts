import { expect, test } from 'vitest'
import { doctorTable } from './doctor-table.ts'

test('what is not ready stands above what mends it, and the last line names it', () => {
  const text = doctorTable([
    { name: 'git', state: 'ok', says: 'git version 2.45.0' },
    { name: 'locks', state: 'mended', says: 'removed: run 3' },
    { name: 'walls', state: 'not ok', says: 'bwrap is missing', mend: 'apt-get install bubblewrap' },
    { name: 'other', state: '-', says: 'not found in PATH', mend: 'npm install --global other' },
  ])
  expect(text).toBe(`ok      git    git version 2.45.0
mended  locks  removed: run 3
not ok  walls  bwrap is missing
               apt-get install bubblewrap
-       other  not found in PATH
               npm install --global other
Missing: walls.`)
})

test('where nothing is missing, the last line says how to begin', () => {
  const text = doctorTable([{ name: 'git', state: 'ok', says: 'here' }])
  expect(text.split('\n').at(-1)).toBe('Ready. Next: baton run "<what you want done>"')
})
