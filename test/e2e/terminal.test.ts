// At a terminal the question is asked there. Needs `script` of util-linux for a terminal of its own.
import { spawn, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { gitIn, makeFolder } from '../support/git.ts'
import { codeCache, baton, program, smallProject, thenAsk, until, works } from './baton.ts'

const hasTerminal = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

/** Types the lines one after the other, each when the prompt stands there; gives exit code and screen. */
async function atTerminal(cwd: string, args: readonly string[], lines: readonly string[]) {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: await makeFolder(),
      XDG_CACHE_HOME: codeCache,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
    },
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text))
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  for (const [index, line] of lines.entries()) {
    await until(() => screen.split('(empty line: decide later) > ').length > index + 1, `prompt ${index + 1}`)
    child.stdin.write(line < ' ' && line !== '' ? line : `${line}\n`)
  }
  return { code: await ended, screen }
}

describe.skipIf(!hasTerminal)('at a terminal', () => {
  test.concurrent('R001-157, R000-02: the question is asked there, and approve goes on', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const { code, screen } = await atTerminal(
      root,
      ['run', 'Write the work', '--script', script],
      ['approve'],
    )
    expect(screen).toContain("Merge 'task/1-work'?")
    expect(screen).toContain('A person said: approve.')
    expect(code).toBe(0)
  })

  test.concurrent('free text is never an approval, and a reason sends it back', async () => {
    const { root, script } = await smallProject(
      `roles: { worker: [{ answer: {} }, { expects: ["more blue"], writes: { work.txt: "blue\\n" }, answer: {} }] }`,
      thenAsk,
    )
    const lines = ['yes, go ahead', 'approve it', 'reject', 'reject more blue', 'approve']
    const { code, screen } = await atTerminal(root, ['run', 'Write the work', '--script', script], lines)
    expect(screen.split('This question takes: approve, reject')).toHaveLength(3)
    expect(screen).toContain("'reject' needs words")
    expect(code).toBe(0)
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('blue')
  })

  test.concurrent('an empty line leaves it for later, and resume asks again', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const { code } = await atTerminal(root, ['run', 'Write the work', '--script', script], [''])
    expect(code).toBe(3)
    expect((await baton(root, ['show'])).stdout).toContain('status     waiting')
    expect((await atTerminal(root, ['resume'], ['approve'])).code).toBe(0)
  })

  test.concurrent('Ctrl-D leaves it for later too', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const { code } = await atTerminal(root, ['run', 'Write the work', '--script', script], ['\u0004'])
    expect(code).toBe(3)
  })

  test.concurrent('Ctrl-C at the question ends the run with exit 130, and resume asks again', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const { code } = await atTerminal(root, ['run', 'Write the work', '--script', script], ['\u0003'])
    expect(code).toBe(130)
    expect((await atTerminal(root, ['resume'], ['approve'])).code).toBe(0)
  })
})
