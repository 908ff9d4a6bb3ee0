// Runs that nobody waits for, and the examples of the guide for machines that start them.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../../src/cli/program.ts'
import { baton, documentOf, namesIn, refusalOf, smallProject, until, works } from '../e2e/baton.ts'
import { writeFiles } from '../support/git.ts'
import { root as repository } from '../support/source-files.ts'

describe('baton run --detach', () => {
  test('returns when the run has begun, which goes on by itself and can be followed', async () => {
    const { root, script } = await smallProject('')
    const go = join(dirname(root), 'go')
    const wait = `[sh, -c, 'until test -e "${go}"; do sleep 0.1; done']`
    await writeFile(
      script,
      `roles: { worker: [{ runs: [${wait}], writes: { work.txt: "done\\n" }, answer: { status: success } }] }\n`,
    )
    const started = await baton(root, ['run', '--detach', 'Write the work', '--script', script])
    expect(started).toMatchObject({ code: 0, stderr: '' })
    expect(started.stdout).toMatch(/^Run 1 goes on by itself \(process \d+\)\.\n {2}baton logs 1 --follow\n/)
    expect((await baton(root, ['show', '1'])).stdout).toContain('status     running')
    expect(await namesIn(join(root, '.baton/runs'))).toEqual(['1', '1.log.jsonl'])
    await writeFile(go, '')
    const followed = await baton(root, ['logs', '1', '--follow'])
    expect(followed.code).toBe(0)
    await until(async () => (await baton(root, ['show', '1'])).stdout.includes('delivered'), 'the delivery')
    expect(await readFile(join(root, '.baton/runs/1/detached-1.log'), 'utf8')).toContain(
      'Run 1 is delivered.',
    )
  })

  test('says a refusal as it would without the flag', async () => {
    const { root } = await smallProject('roles: {')
    const words = ['run', 'Write the work', '--script', 'nowhere.yaml']
    for (const more of [[], ['--json']]) {
      const said = await baton(root, [...words, ...more])
      expect(said.code).toBe(2)
      expect(await baton(root, [...words, ...more, '--detach'])).toEqual(said)
    }
    expect(documentOf(await baton(root, ['runs', '--json']))).toEqual([])
  })

  test('says so too where the run comes to nothing before it has a branch', async () => {
    const { root, script } = await smallProject('roles: { worker: [{ answer: { status: success } }] }\n')
    // Git waits for whoever seems to make that branch.
    await writeFiles(root, { '.git/refs/heads/task/1-work.lock': '' })
    const ended = await baton(root, ['run', '--detach', 'Write the work', '--script', script])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^error: .*1-work\.lock.*\nnext: .+\n$/)
    expect(await namesIn(join(root, '.baton/runs'))).toEqual([])
  })
})

test('a task on standard input cannot be detached, and that is said', async () => {
  const { root, script } = await smallProject(works)
  const words = ['run', '--detach', '--task', '-', '--script', script]
  const { error, next } = refusalOf(await baton(root, words))
  expect(error).toContain('standard input')
  expect(next).toBe('baton run --detach --file task.md')
})

describe('the examples of the guide', () => {
  const nothing = (): void => undefined
  const flags = createProgram({
    open: () => {
      throw new Error('no command is run here')
    },
    ...{ done: nothing, complain: nothing },
  })
    .commands.find((command) => command.name() === 'run')
    ?.options.map(({ long }) => long)

  async function blocks(kind: string): Promise<string[]> {
    const text = await readFile(join(repository, 'docs/guide/unattended.md'), 'utf8')
    return [...text.matchAll(/^<!-- (.+) -->\n```\w+\n([\s\S]*?)^```$/gm)].flatMap(
      ([, note = '', inner = '']) => (note.startsWith(kind) ? [inner] : []),
    )
  }

  function expectKnown(line: string): void {
    for (const [flag] of line.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag)
  }

  test('for systemd start a run with flags that there are, and have what a unit needs', async () => {
    const [service = '', timer = ''] = await blocks('unit')
    expectKnown(/^ExecStart=\S+baton run (.+)$/m.exec(service)?.[1] ?? '--none')
    for (const section of ['[Unit]', '[Service]', '[Install]']) expect(service).toContain(section)
    expect(timer).toMatch(/^OnCalendar=\S/m)
  })

  test('for Actions is YAML whose commands have flags that there are, and takes nothing of an issue into a command', async () => {
    const [text = ''] = await blocks('workflow')
    const { jobs } = parse(text) as { jobs: { run: { steps: readonly { run?: string }[] } } }
    const commands = jobs.run.steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
    expectKnown(commands.find((line) => line.startsWith('baton run')) ?? '--none')
    expect(commands.join('\n')).not.toContain('${{')
  })
})
