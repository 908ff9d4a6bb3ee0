import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../model/json.ts'
import { captureCommand } from '../platform/capture.ts'
import { createScriptedProvider } from './scripted.ts'

// Every test runs the real program, dist/agents/scripted-agent.cjs, as the engine would.

const path = process.env['PATH'] ?? ''
const values = { task: 'Add a toggle', slug: 'toggle', n: 2, plan: { steps: ['a', 'b'] } }

let folder: string
let worktree: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'baton-agent-')))
  worktree = join(folder, 'tree')
  await mkdir(worktree)
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function commandOf(call: Json) {
  const text = JSON.stringify({ roles: { developer: [call] } })
  return createScriptedProvider({ text, scriptFile: 'demo.yaml', path }).command({
    ...{
      role: 'developer',
      title: 'DEVELOPER',
      step: 'build',
      visit: 1,
      call: 1,
      capabilities: [],
      mayWrite: true,
    },
    ...{ worktree, home: join(folder, 'home'), promptFile: join(folder, 'prompt.md') },
    ...{ env: { PORT: '4001' }, values },
  })
}

async function play(call: Json, prompt = 'Build it.'): Promise<Ended> {
  const { argv, env } = await commandOf(call)
  const { code, stdout, stderr } = await captureCommand(argv, { cwd: worktree, env, input: prompt })
  return { code, stdout: stdout.toString(), stderr }
}

/** In a process group of its own, as the engine starts it, so that a test can look at it while it lives. */
async function start(call: Json): Promise<{ child: ChildProcess; ended: Promise<string | number> }> {
  const { argv, env } = await commandOf(call)
  const [command, ...args] = argv
  const child = spawn(command, args, {
    cwd: worktree,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const ended = new Promise<string | number>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
  return { child, ended }
}

async function firstOutput(child: ChildProcess): Promise<void> {
  await new Promise((resolve) => child.stdout?.once('data', resolve))
}

async function textIn(file: string): Promise<string> {
  return readFile(join(worktree, file), 'utf8')
}

async function git(...args: string[]): Promise<string> {
  const env = { PATH: path, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const { code, stdout, stderr } = await captureCommand(['git', ...args], { cwd: worktree, env })
  if (code !== 0) throw new Error(stderr)
  return stdout.toString().trim()
}

async function makeRepository(): Promise<void> {
  await git('init', '--quiet', '--initial-branch=main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.org')
  await git('commit', '--quiet', '--allow-empty', '--message', 'start')
}

describe('files', () => {
  it('writes files, with the folders they need', async () => {
    expect(await play({ writes: { 'src/deep/a.ts': 'const a = 1\n' } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(await textIn('src/deep/a.ts')).toBe('const a = 1\n')
  })

  it('writes outside the worktree where it is told to: misbehaviour must be playable', async () => {
    await play({ writes: { '../relative.txt': 'r', [join(folder, 'absolute.txt')]: 'a' } })
    expect(await textIn('../relative.txt')).toBe('r')
    expect(await textIn('../absolute.txt')).toBe('a')
  })

  it('expands the templates of paths, and leaves the braces of texts alone', async () => {
    await play({ writes: { 'docs/{slug}_v{n}.md': 'f(`{task}`) {{ }}' } })
    expect(await textIn('docs/toggle_v2.md')).toBe('f(`{task}`) {{ }}')
  })

  it('expands the templates of texts where the call says so', async () => {
    await play({ template: true, writes: { 'a.md': '{task}: {{literal}}' } })
    expect(await textIn('a.md')).toBe('Add a toggle: {literal}')
  })

  it('edits by exact text', async () => {
    await writeFile(join(worktree, 'a.txt'), 'one two three')
    await play({ edits: [{ file: 'a.txt', replace: 'two', with: '$& {task}' }] })
    expect(await textIn('a.txt')).toBe('one $& {task} three')
  })

  it.each([
    ['absent', 'four', 'does not contain: four'],
    ['there twice', 'o', 'contains more than once: o'],
  ])('fails where the text to edit is %s', async (_how, replace, problem) => {
    await writeFile(join(worktree, 'a.txt'), 'one two three')
    const ended = await play({ edits: [{ file: 'a.txt', replace, with: 'x' }], answer: {} })
    expect(ended).toEqual({
      code: 65,
      stdout: '',
      stderr: `scripted agent: ${join(worktree, 'a.txt')} ${problem}\n`,
    })
  })

  it('deletes files and folders', async () => {
    await play({ writes: { 'a/b.txt': '', 'c.txt': '' }, deletes: ['a', 'c.txt'] })
    expect([existsSync(join(worktree, 'a')), existsSync(join(worktree, 'c.txt'))]).toEqual([false, false])
  })

  it('fails where there is nothing to delete', async () => {
    expect(await play({ deletes: ['a'] })).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('ENOENT'),
    })
  })

  it('makes symbolic links that lead wherever it is told', async () => {
    await play({ symlinks: { 'links/{slug}': '/etc/passwd' } })
    expect(await readlink(join(worktree, 'links/toggle'))).toBe('/etc/passwd')
  })

  it('fails on a variable that nobody has given', async () => {
    expect(await play({ writes: { '{slag}.md': '' } })).toEqual({
      code: 65,
      stdout: '',
      stderr: "scripted agent: unknown variable '{slag}'\n",
    })
  })
})

describe('commands', () => {
  it('runs commands in the worktree, in order, and shows what they print', async () => {
    const ended = await play({ runs: [['pwd'], ['sh', '-c', 'echo $PORT; echo oops >&2']], prints: 'done' })
    expect(ended).toEqual({ code: 0, stdout: `${worktree}\n4001\ndone\n`, stderr: 'oops\n' })
  })

  it('gives commands the environment of the agent and no more', async () => {
    const { stdout } = await play({ runs: [['env']] })
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 1)[0])
    expect(new Set(names)).toEqual(
      new Set(['GIT_CONFIG_NOSYSTEM', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'PATH', 'PORT', 'TERM']),
    )
  })

  it('goes on after a command that failed or does not exist', async () => {
    expect(await play({ runs: [['false'], ['no-such-command', 'x']], prints: 'still here' })).toEqual({
      code: 0,
      stdout: 'still here\n',
      stderr: 'scripted agent: false ended with 1\nscripted agent: no-such-command x ended with 127\n',
    })
  })

  it('stops after a command that had to succeed', async () => {
    expect(await play({ runs: [{ argv: ['false'], must: true }], prints: 'never' })).toEqual({
      code: 65,
      stdout: '',
      stderr: 'scripted agent: false ended with 1\n',
    })
  })

  it('leaves a background process behind in its own process group', async () => {
    const { child, ended } = await start({ starts: ['sleep', '60'], answer: {} })
    expect(await ended).toBe(0)
    const group = -(child.pid ?? 0)
    expect(process.kill(group, 0)).toBe(true)
    process.kill(group, 'SIGKILL')
  })

  it('leaves a background process behind in a session of its own', async () => {
    const argv = ['sh', '-c', 'echo $$ > ../pid.tmp; mv ../pid.tmp ../pid; exec sleep 60']
    const { child, ended } = await start({ starts: { argv, session: true } })
    expect(await ended).toBe(0)
    while (!existsSync(join(folder, 'pid'))) await sleep(5)
    const pid = Number(await textIn('../pid'))
    expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH')
    expect(process.kill(-pid, 0)).toBe(true)
    process.kill(-pid, 'SIGKILL')
  })

  it('fails where the background command does not exist', async () => {
    expect(await play({ starts: ['no-such-command'] })).toMatchObject({
      code: 65,
      stderr: 'scripted agent: no-such-command: command not found\n',
    })
  })
})

describe('commits', () => {
  beforeEach(makeRepository)

  it('commits everything under a message', async () => {
    await play({ writes: { 'a.txt': 'a', 'b.txt': 'b' }, commits: 'feat: {slug}' })
    expect(await git('log', '--format=%an: %s', '--name-only', '-1')).toBe(
      'Ada: feat: toggle\n\na.txt\nb.txt',
    )
    expect(await git('status', '--short')).toBe('')
  })

  it('commits in parts, only what is named', async () => {
    await play({
      writes: { 'a.txt': 'a', 'b.txt': 'b', 'toggle.txt': 't' },
      commits: [
        { message: 'one', add: ['a.txt'] },
        { message: 'two', add: ['{slug}.txt'] },
      ],
    })
    expect(await git('log', '--format=%s', '--name-only', '-2')).toBe('two\n\ntoggle.txt\none\n\na.txt')
    expect(await git('status', '--short')).toBe('?? b.txt')
  })

  it('fails where there is nothing to commit', async () => {
    const ended = await play({ commits: 'empty', answer: {} })
    expect([ended.code, ended.stderr]).toEqual([
      65,
      'scripted agent: git commit --quiet --message empty ended with 1 (nothing to commit?)\n',
    ])
  })

  it('answers with the short hash of the commit it made', async () => {
    const ended = await play({
      writes: { a: '' },
      commits: 'one',
      answer: { commits: ['{commit}'] },
      as: 'bare',
    })
    expect(JSON.parse(ended.stdout)).toEqual({ commits: [await git('rev-parse', '--short', 'HEAD')] })
  })
})

describe('answers', () => {
  const answer = { verdict: 'REJECT', feedback: `it's "wrong"`, score: 0.5, gone: null }
  const json = JSON.stringify(answer, null, 2)
  const fence = (text: string): string => `\`\`\`json\n${text}\n\`\`\`\n`

  it.each([
    ['fenced', fence(json)],
    ['bare', `${json}\n`],
    [
      'prose',
      `I have thought it over, and this is what I came to.\n\n${json}\n\nLet me know if you need more.\n`,
    ],
    [
      'single_quotes',
      fence(`{ 'verdict': 'REJECT', 'feedback': 'it\\'s "wrong"', 'score': 0.5, 'gone': null }`),
    ],
    ['broken', fence(json.slice(0, Math.floor(json.length / 2)))],
    ['twice', fence(json) + fence(json)],
    ['none', ''],
  ])('prints an answer as %s', async (form, stdout) => {
    expect(await play({ answer, as: form })).toEqual({ code: 0, stdout, stderr: '' })
  })

  it('prints a fenced answer between what comes before and after it', async () => {
    const ended = await play({ prints: 'Let me see.', answer, after: 'That is all.\n' })
    expect(ended.stdout).toBe(`Let me see.\n${fence(json)}That is all.\n`)
  })

  it('expands the templates in the texts of an answer, at any depth, and keeps the type of a lone variable', async () => {
    const template = { text: 'v{n} of {slug}', list: [{ steps: '{plan.steps}' }], literal: '{{n}}' }
    const ended = await play({ answer: template, as: 'bare' })
    expect(JSON.parse(ended.stdout)).toEqual({
      text: 'v2 of toggle',
      list: [{ steps: ['a', 'b'] }],
      literal: '{n}',
    })
  })

  it('leaves an answer full of code alone where the call says so', async () => {
    const code = { content: 'f"{name}" if (a) {{ b() }}' }
    const ended = await play({ template: false, answer: code, as: 'bare' })
    expect(JSON.parse(ended.stdout)).toEqual(code)
  })

  it('expands what is printed only where the call says so', async () => {
    expect((await play({ prints: '{task}' })).stdout).toBe('{task}\n')
    expect((await play({ template: true, prints: '{task}' })).stdout).toBe('Add a toggle\n')
  })

  it('says nothing at all where nothing is asked of it', async () => {
    expect(await play({})).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it.each(['1B', '1KB', '3.5MB'])('floods with exactly %s of lines before the answer', async (size) => {
    const plain = await play({ answer })
    const flooded = await play({ flood: size, answer })
    const bytes = { '1B': 1, '1KB': 1000, '3.5MB': 3_500_000 }[size] ?? 0
    expect(flooded.stdout.length - plain.stdout.length).toBe(bytes)
    expect(flooded.stdout.endsWith(`\n${plain.stdout}`)).toBe(true)
  })

  it('floods no faster than it is read', async () => {
    const { child, ended } = await start({ flood: '50MB', ends: { exit: 7 } })
    await sleep(300)
    expect(child.exitCode).toBe(null)
    child.stdout?.resume()
    expect(await ended).toBe(7)
  })

  it('ends where its reader has gone', async () => {
    const { child, ended } = await start({ flood: '50MB' })
    child.stdout?.destroy()
    expect(await ended).toBe(141)
  })
})

describe('ends', () => {
  it('exits with the code it is told, after the answer', async () => {
    expect(await play({ answer: 1, as: 'bare', ends: { exit: 3 } })).toEqual({
      code: 3,
      stdout: '1\n',
      stderr: '',
    })
  })

  it('prints half of the answer and exits 1', async () => {
    expect(await play({ answer: { a: 1 }, ends: { partial: true }, after: 'never' })).toEqual({
      code: 1,
      stdout: '```json\n{\n  ',
      stderr: '',
    })
  })

  it('kills itself', async () => {
    const { child, ended } = await start({ prints: 'Oh', ends: { crash: true } })
    const printed = child.stdout?.setEncoding('utf8').toArray()
    expect(await ended).toBe('SIGKILL')
    expect(await printed).toEqual(['Oh\n'])
  })

  it('hangs until it is told to go', async () => {
    const { child, ended } = await start({ prints: 'Hm', ends: { hang: true } })
    await firstOutput(child)
    await sleep(50)
    expect(child.exitCode).toBe(null)
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })

  it('hangs and will not hear of it when it is stubborn', async () => {
    const { child, ended } = await start({ prints: 'Hm', ends: { hang: true, stubborn: true } })
    await firstOutput(child)
    child.kill('SIGTERM')
    child.kill('SIGINT')
    await sleep(100)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
  })

  it('waits before it does anything', async () => {
    const begun = performance.now()
    await play({ delay: '300ms', answer: {} })
    expect(performance.now() - begun).toBeGreaterThan(300)
  })
})

describe('expectations', () => {
  it('goes to work where the hand-over is as expected', async () => {
    await writeFile(join(worktree, 'toggle.md'), '')
    const call = { expects: ['{task}', 'PLAN'], expects_file: ['{slug}.md'], template: true, answer: {} }
    expect(await play(call, 'The PLAN for: Add a toggle')).toMatchObject({ code: 0, stderr: '' })
  })

  it('says all that is missing, does nothing and exits 64', async () => {
    const ended = await play({
      expects: ['PLAN', 'Build'],
      expects_file: ['{slug}.md'],
      writes: { 'a.txt': '' },
      answer: {},
    })
    expect(ended).toEqual({
      code: 64,
      stdout: '',
      stderr:
        'scripted agent: the prompt does not contain: PLAN\nscripted agent: the worktree does not contain: toggle.md\n',
    })
    expect(existsSync(join(worktree, 'a.txt'))).toBe(false)
  })

  it('reads a long prompt to its end', async () => {
    const prompt = `${'x'.repeat(5_000_000)} the end`
    expect(await play({ expects: ['the end'], answer: {} }, prompt)).toMatchObject({ code: 0 })
  })
})

it('exits 65 and names role, step and script where it has no part to play', async () => {
  const provider = createScriptedProvider({ text: 'roles: { a: [{}] }', scriptFile: 'demo.yaml', path })
  const { argv, env } = await provider.command({
    ...{
      role: 'developer',
      title: 'DEVELOPER',
      step: 'build',
      visit: 1,
      call: 1,
      capabilities: [],
      mayWrite: true,
    },
    ...{ worktree, home: join(folder, 'home'), promptFile: '', env: {}, values: {} },
  })
  const ended = await captureCommand(argv, { cwd: worktree, env })
  expect([ended.code, ended.stderr]).toEqual([
    65,
    "scripted agent: demo.yaml has no entry for role 'developer' or step 'build'; a run keeps its script: start a new one, and cancel this one if it has not ended\n",
  ])
})
