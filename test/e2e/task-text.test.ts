// A task is text. Whatever it holds, it reaches the agent as it was typed, and nothing of it is carried out.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { gitIn } from '../support/git.ts'
import { baton, documentOf, journalOf, noTraces, refusalOf, smallProject, tracesIn, works } from './baton.ts'

async function promptOf(root: string): Promise<string> {
  const started = (await journalOf(root)).find(({ type }) => type === 'agent.started')
  const { path } = (started?.data['prompt'] ?? { path: 'no agent was started' }) as { path: string }
  return readFile(path, 'utf8')
}

describe.concurrent('a task', () => {
  test('with quotes, braces, shell, emoji, options and several lines reaches the agent as it was typed', async () => {
    const { root, script } = await smallProject(works)
    const task = `Fix "it's" \`broken\` {task} {{x}} {nobody} $(touch hacked) \${HOME} 🚀 ünï --json; rm -rf .\n\n- one\n- 'two' \\ "three"`
    const ended = await baton(root, ['run', task, '--script', script])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect((await journalOf(root))[0]?.data['task']).toBe(task)
    expect(await promptOf(root)).toContain(`<<<TASK\n${task}\nTASK>>>`)
    expect(await gitIn(root, 'branch', '--list', 'task/*', '--format=%(refname:short)')).toMatch(
      /^task\/1-[a-z0-9-]+$/,
    )
    expect((await tracesIn(root))['status']).toEqual([])
    expect((await baton(root, ['show'])).stdout).toContain(`Run 1: ${task.split('\n')[0]}\n`)
  })

  test('without a single letter gets a branch all the same', async () => {
    const { root, script } = await smallProject(works)
    const { branch } = documentOf(await baton(root, ['run', '🚀 日本語', '--script', script, '--json']))
    expect(branch).toBe('task/1-task')
  })

  test('that begins with a dash can be given after --', async () => {
    const { root, script } = await smallProject(works)
    const ended = await baton(root, ['run', '--script', script, '--', '--json is ignored'])
    expect(ended.code).toBe(0)
    expect((await journalOf(root))[0]?.data['task']).toBe('--json is ignored')
  })

  test.each(['--json', '--plain', '--verbose'])('after %s needs no command either', async (flag) => {
    const { root, script } = await smallProject(works)
    const ended = await baton(root, [flag, '--task', 'Count it', '--script', script])
    expect(ended).toMatchObject({ code: 0 })
    expect((await journalOf(root))[0]?.data['task']).toBe('Count it')
  })

  test('of several words needs no quotes', async () => {
    const { root, script } = await smallProject(works)
    await baton(root, ['run', 'Count', 'the', 'quantity', '--script', script])
    expect((await journalOf(root))[0]?.data['task']).toBe('Count the quantity')
  })

  test('of 1 MB is read from standard input and reaches the agent whole', async () => {
    const { root, script } = await smallProject(works)
    const task = `Fix the total.\n${'All of the details. '.repeat(50_000)}end`
    const ended = await baton(root, ['run', '--task', '-', '--script', script], { input: task })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout.length).toBeLessThan(2000)
    expect((await promptOf(root)).includes(task)).toBe(true)
    expect((await baton(root, ['runs'])).stdout.length).toBeLessThan(1000)
  })

  test('of 120 KB fits into an argument', async () => {
    const { root, script } = await smallProject(works)
    const task = `Fix the total. ${'x'.repeat(120_000)}`
    expect((await baton(root, ['run', task, '--script', script])).code).toBe(0)
    expect((await promptOf(root)).includes(task)).toBe(true)
  })

  test.each([
    ['with a NUL character', 'Fix\0it', /holds a NUL character/, /baton run --task - < task\.md/],
    ['of more than 2 MB', 'x'.repeat(2_000_001), /longer than 2 MB/, /into a file/],
    ['of nothing', ' \n ', /needs the input 'task'/, /baton run/],
  ])('%s on standard input is refused, and nothing is left behind', async (_title, input, error, next) => {
    const { root, script } = await smallProject(works)
    const refusal = refusalOf(await baton(root, ['run', '--task', '-', '--script', script], { input }))
    expect(refusal.error).toMatch(error)
    expect(refusal.next).toMatch(next)
    expect(await tracesIn(root)).toEqual(noTraces)
  })
})
