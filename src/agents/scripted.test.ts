import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentRequest } from '../model/agent.ts'
import { createScriptedProvider } from './scripted.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-scripted-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function requestOf(more: Partial<AgentRequest> = {}): AgentRequest {
  return {
    ...{
      role: 'developer',
      title: 'DEVELOPER',
      step: 'build',
      visit: 1,
      call: 1,
      capabilities: [],
      mayWrite: true,
    },
    ...{ worktree: join(folder, 'tree'), home: join(folder, 'home'), promptFile: join(folder, 'prompt.md') },
    ...{ env: {}, values: {} },
    ...more,
  }
}

describe('check', () => {
  it('is content with a script that exists and is valid', async () => {
    const scriptFile = join(folder, 'demo.yaml')
    await writeFile(scriptFile, 'roles: { developer: [{ prints: hello }] }')
    await expect(createScriptedProvider({ scriptFile, path: '' }).check()).resolves.toBeUndefined()
  })

  it('refuses to work without a script, and says how to name one', async () => {
    await expect(createScriptedProvider({ path: '' }).check()).rejects.toMatchObject({
      code: 'script.missing',
      next: 'Type the same command with a script that can be read: --script <file>',
    })
  })

  it('refuses a script that does not exist', async () => {
    const scriptFile = join(folder, 'nowhere.yaml')
    await expect(createScriptedProvider({ scriptFile, path: '' }).check()).rejects.toMatchObject({
      code: 'script.missing',
      message: `the script ${scriptFile} cannot be read (ENOENT)`,
    })
  })

  it('refuses a script that is a folder', async () => {
    await expect(createScriptedProvider({ scriptFile: folder, path: '' }).check()).rejects.toMatchObject({
      code: 'script.missing',
    })
  })

  it('refuses a script with a mistake, and says where', async () => {
    const scriptFile = join(folder, 'demo.yaml')
    await writeFile(scriptFile, 'roles:\n  developer:\n    - print: hello\n')
    await expect(createScriptedProvider({ scriptFile, path: '' }).check()).rejects.toMatchObject({
      code: 'script.invalid',
      message: expect.stringContaining(`${scriptFile}:3: roles.developer.0: unknown key 'print'`),
    })
  })
})

describe('command', () => {
  it('leaves what is to be played in the home of the call', async () => {
    const provider = createScriptedProvider({ text: 'roles: { developer: [{ prints: hello }] }', path: '' })
    const { argv } = await provider.command(requestOf({ values: { task: 'x' } }))
    expect(argv).toEqual([
      process.execPath,
      expect.stringMatching(/dist\/agents\/scripted-agent\.cjs$/),
      join(folder, 'home', 'scripted-call.json'),
    ])
    expect(JSON.parse(await readFile(argv[2] ?? '', 'utf8'))).toEqual({
      type: 'call',
      call: { prints: 'hello' },
      worktree: join(folder, 'tree'),
      values: { task: 'x' },
    })
  })

  it('gives the agent its own environment, what the project asked for, and nothing else', async () => {
    const provider = createScriptedProvider({ text: 'roles: { developer: [{}] }', path: '/opt/bin:/bin' })
    const { env } = await provider.command(requestOf({ env: { PORT: '4001' } }))
    expect(env).toEqual({
      PATH: '/opt/bin:/bin',
      HOME: join(folder, 'home'),
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      PORT: '4001',
    })
  })

  it('plays the script as it was when it was first read', async () => {
    const scriptFile = join(folder, 'demo.yaml')
    await writeFile(scriptFile, 'roles: { developer: [{ prints: before }] }')
    const provider = createScriptedProvider({ scriptFile, path: '' })
    await provider.check()
    await writeFile(scriptFile, 'roles: { developer: [{ prints: after }] }')
    const { argv } = await provider.command(requestOf())
    expect(JSON.parse(await readFile(argv[2] ?? '', 'utf8'))).toMatchObject({ call: { prints: 'before' } })
  })

  it('prefers the text kept with the run to the file', async () => {
    const provider = createScriptedProvider({
      scriptFile: join(folder, 'gone.yaml'),
      text: 'roles: { developer: [{ prints: kept }] }',
      path: '',
    })
    const { argv } = await provider.command(requestOf())
    expect(JSON.parse(await readFile(argv[2] ?? '', 'utf8'))).toMatchObject({ call: { prints: 'kept' } })
  })
})
