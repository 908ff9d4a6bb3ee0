// Halt and inspect is what happens without a word; with `--rollback` the task that failed is taken back, and kept.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import { gitIn, makeFolder, writeFiles } from '../support/git.ts'
import { edits, goal, makeProject, said, scriptOf, stats, task } from '../support/minimal.ts'
import type { MinimalPlay } from '../support/minimal.ts'

const second = { ...task, id: 'T2', title: 'Add the median', artifacts: ['src/stats.py'] }
const wrong = stats.replace('len(data)', 'len(data) + 1')

const firstIsFine: MinimalPlay = {
  planner: said({ plan_id: 'plan_0001', tasks: [task, second] }),
  coder: [
    said(edits(['src/stats.py', stats]), { when: { 'item.id': 'T1' } }),
    said(edits(['src/stats.py', wrong]), { when: { 'item.id': 'T2' } }),
  ],
}

async function run(played: MinimalPlay, ...flags: readonly string[]) {
  const root = await makeProject()
  const folder = await makeFolder()
  await writeFiles(folder, { 'script.json': scriptOf(played) })
  const script = join(folder, 'script.json')
  const asked = ['run', '--workflow', 'minimal', '--provider', 'scripted', '--script', script, goal, ...flags]
  return { root, ended: await baton(root, asked) }
}

describe('--rollback', () => {
  it('R003-92, C-45: takes back the task that failed and nothing before it, and names the command that has it back', async () => {
    const { root, ended } = await run(firstIsFine, '--rollback', '--json')
    expect(ended.code, ended.stderr).toBe(1)
    const document = documentOf(ended)
    const {
      branch,
      worktree,
      rolled_back: back,
    } = document as unknown as {
      readonly branch: string
      readonly worktree: string
      readonly rolled_back: { readonly to: string; readonly back: string; readonly next: string }
    }
    expect(document).toMatchObject({ outcome: 'revise', exit_code: 1 })
    expect(back.to).toBe('work#1/T1/report#1')
    const code = 'workspace/src/stats.py'
    expect(`${await gitIn(root, 'show', `${branch}:${code}`)}\n`).toBe(stats)
    expect(await readFile(join(worktree, code), 'utf8')).toBe(stats)
    expect(await gitIn(root, 'show', `${branch}:runs/plan_0001.json`)).toContain('Add the median')
    const restored = await baton(root, back.back.split(' ').slice(1))
    expect(restored.code, restored.stderr).toBe(0)
    expect(await readFile(join(dirname(root), 'restored-1', code), 'utf8')).toBe(wrong)
    // The task is tried again from there; these agents fail once more.
    const again = await baton(root, [...back.next.split(' ').slice(1), '--rollback'])
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('Rolled back to the end of work#1/T1/report#1')
    expect(again.stdout).toMatch(/What was there: baton restore 1 \d+ --into \.\.\/restored-1\n/)
    expect(await readFile(join(worktree, code), 'utf8')).toBe(stats)
  })

  it('C-45: of the first task goes back to the plan', async () => {
    const { root, ended } = await run({ coder: [said(edits(['src/stats.py', wrong]))] }, '--rollback')
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('Rolled back to the end of plan#1')
    const branch = await gitIn(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/task')
    expect(await gitIn(root, 'ls-tree', '-r', '--name-only', branch)).not.toContain('src/stats.py')
  })

  it('has nothing to do where nothing had ended, or nothing failed', async () => {
    const error = said({ status: 'error', reason: 'No.' })
    const { ended } = await run({ planner: error }, '--rollback')
    expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining('Not rolled back: no step had')])
    const fine = await run({}, '--rollback')
    expect([fine.ended.code, fine.ended.stdout]).toEqual([0, expect.not.stringContaining('olled back')])
  })
})
