import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/agents/registry.ts'
import { decide } from '../../src/firewall/decide.ts'
import { rulesForRole } from '../../src/firewall/rules-for-role.ts'
import { denied } from '../../src/model/tool-call.ts'
import { runProcess } from '../../src/platform/process.ts'
import { listenTo } from '../../src/steps/watch-agent.ts'
import { failureNames } from '../support/model-servers/failures.ts'
import { expectAnswer, expectFailure, expectWork, replayed } from './provider.ts'
import {
  all,
  keys,
  makeProvider,
  makeRequest,
  outcomesOf,
  recordings,
  tools,
  versionsOf,
} from './provider-cast.ts'

describe.each(all)('the provider %s', (name) => {
  it('R000-19, R002-02, R002-09, R002-31: gives a list of words and a whole environment, and keeps the rest of it to itself', async () => {
    const { provider, folder } = await makeProvider(name)
    await provider.check()
    const { argv, env } = await provider.command(await makeRequest(folder))
    expect(argv.length).toBeGreaterThan(0)
    expect(argv.join(' ')).not.toContain('Do the work.')
    expect(env).toMatchObject({ PORT: '4711', PATH: expect.stringContaining(folder) })
    expect(env['HOME']?.startsWith(join(folder, 'home'))).toBe(true)
    expect(Object.keys(env)).not.toContain('OTHER')
  })

  it('R002-55, R002-56: says in exactly these words that its command is missing', async () => {
    if (name === 'scripted') return
    const provider = createRegistry({
      ...{ path: '/nonexistent', cwd: '/', env: keys },
      commands: { plain: { command: ['plain'] }, lines: { command: ['lines'] } },
    })(name)
    await expect(provider.check()).rejects.toThrow(
      `Command '${name}' not found. Please ensure it is installed and in your PATH.`,
    )
  })
})

describe.each(all)('what is heard of %s', (name) => {
  it('R002-33: an answer is an answer', async () => {
    for (const outcome of await outcomesOf(name)) expectAnswer(outcome)
  })

  it.each(failureNames)('R002-34, R002-57, R002-58: %s is a failure of its class', async (failure) => {
    const outcomes = await outcomesOf(name, failure)
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expectFailure(outcome, failure)
  })
})

describe.each(tools)('recordings of %s', (name) => {
  const versions = versionsOf(name)

  it('are there by version', () => {
    expect(versions.length).toBeGreaterThan(0)
  })

  it.each(versions)('%s: work is heard as work (R002-27, R002-33)', async (version) => {
    const { provider } = await makeProvider(name)
    expectWork(await replayed(provider, join(recordings, version, 'work.jsonl'), 0))
  })

  it('asks and is answered in its own words, and what is no question is none', async () => {
    const { provider } = await makeProvider(name)
    const answer = provider.hook?.answer(denied('rule', 'no'))
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('Permission denied: no') })
    expect(JSON.parse(answer?.stdout ?? '')).toBeTypeOf('object')
    expect(provider.hook?.read('{"hook_event_name":"SessionStart"}')).toBeUndefined()
    expect(provider.hook?.read('garbage')).toBeUndefined()
  })

  it('R002-10, R002-11, R002-12, R002-49, C-32: hands the system text and the model over in its own way', async () => {
    const { provider, folder } = await makeProvider(name)
    const { argv, env } = await provider.command(await makeRequest(folder, { system: 'You are careful.' }))
    const file = {
      gemini: env['GEMINI_SYSTEM_MD'],
      codex: env['CODEX_INSTRUCTIONS_FILE'],
      claude: argv[argv.indexOf('--append-system-prompt-file') + 1],
    }
    expect(await readFile(file[name] ?? '', 'utf8')).toBe('You are careful.')
    expect(env['AGENTD_MODEL']).toBe('some-model')
    expect(argv.join(' ')).toMatch(/(?:--model|-m) some-model/)
  })
})

describe.each(['plain', 'lines'])('a tool of the settings, %s', (name) => {
  it('R002-08, R002-32: gets the prompt and gives the answer, without a shell', async () => {
    const { provider, folder } = await makeProvider(name)
    const request = await makeRequest(folder)
    const command = await provider.command(request)
    const parser = provider.parse?.(request.home)
    const listener = parser && listenTo(name, { parser, command })
    const stdoutFile = join(folder, 'out.txt')
    const { end } = await runProcess({
      ...{ argv: command.argv, env: command.env, cwd: folder, stdinFile: request.promptFile, stdoutFile },
      ...{ stderrFile: join(folder, 'err.txt'), ...(listener ? { onOutput: listener.push } : {}) },
    })
    expect(end).toEqual({ type: 'exited', code: 0 })
    expect(await readFile(join(command.env['HOME'] ?? '', 'got.txt'), 'utf8')).toBe('Do the work.\n')
    const answer = listener ? listener.end().answer : (await readFile(stdoutFile, 'utf8')).trim()
    expect(answer).toBe('Here: {"ok":true}')
    const env = await readFile(join(command.env['HOME'] ?? '', 'env.txt'), 'utf8')
    expect(env.includes('MY_KEY=mine')).toBe(name === 'plain')
    expect(env).not.toContain('not handed')
  })
})

it('R002-45, R002-53: the tools that a role may use are those of the specification, and a hook that fails blocks them', async () => {
  const { provider, folder } = await makeProvider('claude')
  const { argv } = await provider.command(await makeRequest(folder))
  expect(argv[argv.indexOf('--tools') + 1]).toBe('Write,Edit,Read,Bash,Glob,Grep')
  expect(argv[argv.indexOf('--allowedTools') + 1]).toBe('Write,Edit,Read,Bash,Glob,Grep')
  const { hooks } = JSON.parse(argv[argv.indexOf('--settings') + 1] ?? '{}') as {
    readonly hooks: Record<string, unknown>
  }
  expect(hooks['PreToolUse']).toEqual([
    { matcher: '*', hooks: [expect.objectContaining({ onFailure: 'block' })] },
  ])
})

it('the tool that takes an answer by its schema touches nothing, so the firewall has nothing against it', async () => {
  const { provider, folder } = await makeProvider('claude')
  const question = { hook_event_name: 'PreToolUse', tool_name: 'StructuredOutput', tool_input: { n: 1 } }
  const call = provider.hook?.read(JSON.stringify(question))
  const role = { name: 'worker', capabilities: ['read'] as const, mayWrite: [] }
  expect(call && decide(rulesForRole({ role, worktree: folder }), call)).toMatchObject({ allow: true })
})
