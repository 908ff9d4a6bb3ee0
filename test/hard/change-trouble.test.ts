// What goes wrong on the way of a change: the right error or the right evidence, and nothing lost.
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import { readState } from '../../src/journal/read-state.ts'
import { runFolder } from '../../src/journal/run-folder.ts'
import { changeScript, makeNodeProject, nodeFiles, nodeWork, tasks } from '../support/change-project.ts'
import { makeRepository } from '../support/git.ts'
import { scriptedBy, typeBaton } from '../support/type-verb.ts'

// Whole runs, on machines that may be slow.
vi.setConfig({ testTimeout: 600_000 })

async function stateOf(repository: string) {
  return readState(runFolder(join(repository, '.baton', 'runs'), '1'))
}

/** A change that is approved and not yet implemented. */
async function approved(repository?: string): Promise<{ repository: string; list: string }> {
  const here = repository ?? (await makeNodeProject())
  const flags = await scriptedBy(changeScript(nodeWork))
  await typeBaton(here, ['proposal', 'round-total', 'Round total', ...flags])
  for (const verb of ['challenge', 'reproposal', 'challenge']) await typeBaton(here, [verb])
  const { worktree } = await stateOf(here)
  return { repository: here, list: join(worktree, 'changes/round-total/tasks.md') }
}

describe('a change', () => {
  test('with a broken tasks.md is refused with the line, and goes on once it is mended', async () => {
    const { repository, list } = await approved()
    await writeFile(list, tasks.replace('- [ ] 1.2', '- [ ] 1.1'))
    const broken = await typeBaton(repository, ['implement'])
    expect(broken.code).toBe(1)
    expect(broken.stdout).toContain('changes/round-total/tasks.md:6: task 1.1 stands on line 5 already')
    expect(broken.stdout).toContain('Next: baton implement round-total')
    await writeFile(list, tasks)
    expect(await typeBaton(repository, ['implement'])).toMatchObject({ code: 0 })
  })

  test('of which there is no proposal yet is to be proposed, not proposed again', async () => {
    const repository = await makeNodeProject()
    const flags = await scriptedBy('roles: { nobody: [{ answer: {} }] }')
    for (const words of [
      ['change', 'Round total', ...flags],
      ['proposal', 'round-total'],
    ]) {
      const { code, stdout } = await typeBaton(repository, words)
      expect({ code, last: stdout.trim().split('\n').at(-1) }).toEqual({
        code: 1,
        last: 'Next: baton proposal round-total',
      })
    }
  })

  test('whose tasks.md an agent wrote badly goes back to it with the lines', async () => {
    const repository = await makeNodeProject()
    const bad = {
      'changes/round-total/proposal.md': '# P\n',
      'changes/round-total/specs/a.md': '# S\n',
      'changes/round-total/tasks.md': '- [ ] do it\n',
    }
    const script = {
      roles: {
        proposer: [
          { writes: bad, answer: { summary: 's' } },
          {
            expects: ['tasks.md:1: a task needs a number'],
            writes: { 'changes/round-total/tasks.md': tasks },
            answer: { summary: 's' },
          },
        ],
      },
    }
    const { code, stdout } = await typeBaton(repository, [
      'proposal',
      'round-total',
      'x',
      ...(await scriptedBy(JSON.stringify(script))),
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('Gate task_list_valid not met')
  })

  test('refuses a task that is not in the list, and names those that are', async () => {
    const { repository } = await approved()
    const { code, stdout } = await typeBaton(repository, ['implement', '--tasks', '1.1,9.9'])
    expect(code).toBe(1)
    expect(stdout).toContain('has no task 9.9: there are 1.1, 1.2')
    expect(await typeBaton(repository, ['implement', '--tasks', '1.1'])).toMatchObject({ code: 0 })
  })

  test('C-25: that nobody knows is refused, and so is one of several without a name', async () => {
    const repository = await makeNodeProject()
    const none = await typeBaton(repository, ['challenge'])
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no active change.') as string,
    })
    const script = await scriptedBy(
      JSON.stringify({
        roles: {
          proposer: [
            {
              writes: {
                'changes/{change_id}/proposal.md': 'p\n',
                'changes/{change_id}/specs/a.md': 's\n',
                'changes/{change_id}/tasks.md': tasks,
              },
              answer: { summary: 's' },
            },
          ],
        },
      }),
    )
    await typeBaton(repository, ['proposal', 'first', 'One', ...script])
    await typeBaton(repository, ['proposal', 'second', 'Two', ...script])
    const several = await typeBaton(repository, ['challenge'])
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There are 2 active changes: first (run 1), second (run 2).') as string,
    })
    const unknown = await typeBaton(repository, ['challenge', 'third'])
    expect(unknown.stderr).toContain("There is no active change 'third'.")
    expect(unknown.stderr).toContain('Name one: baton challenge first | baton challenge second')
    const other = await typeBaton(repository, ['proposal', 'first', 'Something else'])
    expect(other.stderr).toContain('first is about something else already (run 1): One')
    expect((await typeBaton(repository, ['implement', 'first'])).stderr).toContain(
      "'challenge' comes before 'implement'",
    )
  })

  test('whose task leaves the tests failing ticks nothing, and says why', async () => {
    const repository = await makeNodeProject()
    const bad = { ...nodeWork, first: { 'src/total.js': 'export const total = () => 0\n' } }
    await typeBaton(repository, [
      'proposal',
      'round-total',
      'Round total',
      ...(await scriptedBy(changeScript(bad))),
    ])
    for (const verb of ['challenge', 'reproposal', 'challenge']) await typeBaton(repository, [verb])
    const { code, stdout } = await typeBaton(repository, ['implement'])
    expect(code).toBe(1)
    expect(stdout).toContain('Task 1.1 not done: tests_pass')
    expect(stdout).toContain('Next: baton implement round-total')
  })
})

const noise = `import { writeSync } from 'node:fs'
const line = 'noise '.repeat(170) + '\\n'
for (let n = 0; n < 51200; n++) writeSync(1, line)
writeSync(1, 'THE-LAST-LINE\\n')
`

describe('the tools of a project', () => {
  async function reviewed(settings: string, expected: readonly string[], more = {}) {
    const files = { ...nodeFiles, ...more, '.baton/config.yaml': settings }
    const repository = await makeRepository(files)
    const flags = await scriptedBy(changeScript(nodeWork, expected))
    await typeBaton(repository, ['proposal', 'round-total', 'Round total', ...flags])
    for (const verb of ['challenge', 'reproposal', 'challenge', 'implement'])
      await typeBaton(repository, [verb])
    return { repository, ...(await typeBaton(repository, ['review'])) }
  }

  test('R002-42: one that hangs is stopped, and that is evidence', async () => {
    const settings = 'tools:\n  slow: { command: [sleep, "600"], timeout: 500ms }\n'
    const { stdout } = await reviewed(settings, ['### slow (it did not end within 0.5 s and was stopped)'])
    expect(stdout).toContain('Review asks for changes')
  })

  test('R002-20: of one that prints 50 MB the prompt has the beginning and the end, and a file has all of it', async () => {
    const settings = 'tools:\n  noisy: { command: [node, noise.js] }\n'
    const { stdout, lines } = await reviewed(settings, ['bytes left out here', 'THE-LAST-LINE'], {
      'noise.js': noise,
    })
    expect(stdout).toContain('Review asks for changes')
    const log = lines.find(({ type, data }) => type === 'check.finished' && data['check'] === 'noisy')?.data[
      'log'
    ]
    expect((await stat(textOf(log))).size).toBeGreaterThan(50_000_000)
  })

  test('C-29: a required one that is not installed is an error, and nothing is lost', async () => {
    const { repository, code, stdout } = await reviewed(
      'tools:\n  gone: { command: [no-such-tool-here] }\n',
      [],
    )
    expect(code).toBe(1)
    expect(stdout).toContain("'no-such-tool-here' was not found, and 'gone' is required")
    expect(await stateOf(repository)).toMatchObject({ status: 'paused', next: 'tools' })
  })
})
