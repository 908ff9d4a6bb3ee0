// Runs that came with a repository: whoever wrote them chose what is run, and where.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { baton, scriptBeside, smallProject, thenAsk, works } from '../e2e/baton.ts'
import { commitAll, gitIn, makeFolder, writeFiles } from '../support/git.ts'

const execute = promisify(execFile)

interface Clone {
  readonly root: string
  /** There if the run that was brought along has been run. */
  readonly trap: string
}

/** A clone of a repository with a run that has only begun: its script, which needs no walls, is frozen with it. */
async function cloneWithRun(): Promise<Clone> {
  const trap = join(await makeFolder(), 'trap')
  const { root, script } = await smallProject(`roles:
  worker:
    - runs: [[sh, -c, "touch ${trap}"]]
      answer: { status: success }
`)
  expect((await baton(root, ['run', 'Write the work', '--script', script])).code).toBe(0)
  expect(existsSync(trap)).toBe(true)
  await rm(trap)
  const runs = join(root, '.baton/runs')
  const journal = join(runs, '1.log.jsonl')
  const [begun = ''] = (await readFile(journal, 'utf8')).split('\n')
  await writeFile(journal, `${begun}\n`)
  for (const left of ['git', 'steps']) await rm(join(runs, '1', left), { recursive: true, force: true })
  await gitIn(root, 'add', '--force', '.baton/runs')
  await commitAll(root, 'a run')
  const clone = join(dirname(root), 'clone')
  await gitIn(dirname(root), 'clone', '--quiet', root, clone)
  return { root: clone, trap }
}

const refusal =
  /^error: Run 1 was not made in this clone: somebody else has written what it would do\.\nnext: Start the task anew: .*\n$/

describe('a run that came with a clone', () => {
  test('is not obeyed (run.foreign), by whatever command', async () => {
    const { root, trap } = await cloneWithRun()
    for (const words of ['resume', 'resume 1', 'cancel 1', 'undo 1 --to work', 'archive 1', 'watch 1']) {
      const { code, stderr } = await baton(root, words.split(' '))
      expect([words, code, stderr]).toEqual([words, 2, expect.stringMatching(refusal)])
    }
    expect(existsSync(trap)).toBe(false)
  })

  test('is left by clean with what removes it, which is no failure', async () => {
    const { root } = await cloneWithRun()
    const { code, stdout } = await baton(root, ['clean', '1'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Run 1 \(stopped\): stays, it was not made in this clone; if nobody needs it here: rm -r .*\n$/,
      ),
    ])
    await execute('sh', ['-c', stdout.slice(stdout.indexOf('rm -r '))], { cwd: root })
    expect((await baton(root, ['runs', '--json'])).stdout).toBe('[]\n')
    expect((await baton(root, ['clean'])).stdout).toBe('Nothing to clean.\n')
  })

  test('is not cleaned away, whatever it says that it has made', async () => {
    const { root } = await cloneWithRun()
    const precious = await makeFolder()
    await writeFiles(root, {
      '.baton/runs/1/git/workspace.json': JSON.stringify({ state: 'creating', worktree: precious }),
    })
    const ended = await baton(root, ['clean', '1'])
    expect(ended.stdout).toContain('stays, it was not made in this clone')
    expect(existsSync(precious)).toBe(true)
  })

  test('can be looked at, and does not stand in the way of a new one', async () => {
    const { root, trap } = await cloneWithRun()
    expect((await baton(root, ['show', '1'])).stdout).toContain('Write the work')
    const script = await scriptBeside(root, works)
    expect((await baton(root, ['run', 'Another', '--script', script])).code).toBe(0)
    expect((await baton(root, ['runs'])).stdout).toMatch(/^2 +delivered/m)
    expect(existsSync(trap)).toBe(false)
  })
})

test('a run of this clone whose frozen files a branch has replaced, digests and all, is not obeyed', async () => {
  const { root: hostile, trap } = await cloneWithRun()
  const { root, script } = await smallProject(works, thenAsk)
  expect((await baton(root, ['run', 'Mine', '--script', script])).code).toBe(3)
  // Ignored files are nothing to git: a checkout writes over them, and a reset leaves what it wrote.
  await gitIn(root, 'fetch', '--quiet', hostile, 'HEAD:refs/heads/hostile')
  await gitIn(root, 'checkout', '--quiet', 'hostile')
  await gitIn(root, 'reset', '--quiet', 'main')
  const ended = await baton(root, ['resume', '1'])
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringMatching(refusal)])
  expect(existsSync(trap)).toBe(false)
})
