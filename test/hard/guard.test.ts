// The main repository while an agent works without walls: what changes there stops the run, and is never put back.
import { describe, expect, test } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import { gitIn, makeRepository } from '../support/git.ts'
import type { Files } from '../support/git.ts'
import { changes, hardHome, scriptOf, shell } from '../support/hard.ts'

const begin = ['run', 'Write the work', '--json', '--base', 'release', '--sandbox', 'off'] as const

async function project(files?: Files): Promise<string> {
  const root = await makeRepository(files)
  await gitIn(root, 'branch', 'release')
  return root
}

describe.concurrent('with the walls switched off', () => {
  test.each([
    { name: 'a branch', line: 'git update-ref refs/heads/main HEAD~1', was: 'refs/heads/main' },
    { name: 'a new tag', line: 'git tag planted', was: 'refs/tags/planted' },
    { name: 'the configuration', line: 'git config core.fsmonitor ./evil.sh', was: 'config' },
    { name: 'a hook', line: 'echo evil >.git/hooks/post-commit', was: 'hooks/post-commit' },
    { name: 'HEAD', line: 'git symbolic-ref HEAD refs/heads/release', was: 'HEAD' },
  ])(
    '$name that an agent changes stops the run; it stays as it is, and both values are kept',
    async (one) => {
      const root = await project()
      await gitIn(root, 'commit', '-q', '--allow-empty', '-m', 'second')
      const runs = [shell(`cd '${root}' && ${one.line}`)]
      const script = await scriptOf([{ writes: { 'work.txt': 'done\n' }, runs, commits: 'the work' }])
      const home = await hardHome()
      const stopped = await baton(root, [...begin, '--workflow', 'coder', '--script', script], { home })
      expect(stopped.code, stopped.stderr).toBe(5)
      expect(stopped.stderr).toContain(one.was)
      expect(stopped.stderr).toContain('If that was not you: ')
      const kept = await gitIn(root, 'for-each-ref', '--format=%(refname)', 'refs/baton/1/guard/')
      expect(kept).toContain(one.was.replace('refs/', ''))
      // Still changed: only a person can know whose it was.
      const changed = await gitIn(root, 'for-each-ref', '--format=%(refname)', 'refs/tags')
      expect(changed).toBe(one.was === 'refs/tags/planted' ? 'refs/tags/planted' : '')
      const resumed = await baton(root, ['resume', '1', '--json'], { home })
      expect(resumed.code, resumed.stderr).toBe(0)
      expect(await changes(root, documentOf(resumed).branch, 'release')).toEqual({ 'work.txt': 'done' })
    },
  )

  test('a test that the agent wrote is watched too', async () => {
    const root = await project({ 'package.json': '{ "scripts": { "test": "sh check.sh" } }\n' })
    const files = { 'check.sh': `cd '${root}' && git branch planted\n` }
    const script = await scriptOf([{ writes: files }])
    const home = await hardHome()
    const stopped = await baton(root, [...begin, '--workflow', 'tested', '--script', script], { home })
    expect(stopped.code, stopped.stderr).toBe(5)
    expect(stopped.stderr).toContain('refs/heads/planted')
  })
})
