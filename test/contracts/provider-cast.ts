// The providers of the contract: recorded ones, tools of the settings with a program of their own, a scripted one.
import { readdirSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRegistry } from '../../src/agents/registry.ts'
import type { AgentRequest, Provider } from '../../src/model/agent.ts'
import { ensureDirectory } from '../../src/platform/files.ts'
import { runProcess } from '../../src/platform/process.ts'
import { listenTo } from '../../src/steps/watch-agent.ts'
import { makeFolder, writeFiles } from '../support/git.ts'
import type { FailureName } from '../support/model-servers/failures.ts'
import { replayed } from './provider.ts'
import type { Outcome } from './provider.ts'

export const recordings = new URL('../fixtures/agents/', import.meta.url).pathname
export const keys = {
  GEMINI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  CODEX_API_KEY: 'k',
  MY_KEY: 'mine',
  OTHER: 'not handed',
}
export const tools = ['gemini', 'claude', 'codex'] as const
export const all = [...tools, 'plain', 'lines', 'scripted'] as const

/** What a tool of the settings prints to its error output before it ends with exit code 1. */
const complaints: Readonly<Record<FailureName, string>> = {
  quota: 'HTTP 429: too many requests',
  quotaUntil: 'You have hit your usage limit. It resets at 2099-01-01T00:00:00Z.',
  overloaded: '503 Service Unavailable',
  auth: '401 Unauthorized: invalid api key',
  context: 'the prompt is too long for the context window',
  cut: 'stream disconnected before completion',
}

/** The same of a scripted one. */
const scripted: Readonly<Record<FailureName, string>> = {
  quota: 'fails: { error: quota, message: no more today }',
  quotaUntil: 'fails: { error: quota, message: no more today, resets_in: 2h }',
  overloaded: 'fails: { error: overloaded, message: busy }',
  auth: 'fails: { error: auth, message: who are you }',
  context: 'fails: { error: context, message: too long }',
  cut: 'prints: half a sen, ends: { exit: 1 }',
}

/** A folder with a program of each tool's name, for what needs no real one. */
export async function makeProvider(
  name: string,
  failure?: FailureName,
): Promise<{ provider: Provider; folder: string }> {
  const folder = await makeFolder()
  const ends = failure === undefined ? '' : `echo '${complaints[failure]}' >&2\nexit 1\n`
  const answer = `#!/bin/sh\ncat > "$HOME/got.txt"\nenv > "$HOME/env.txt"\n${ends}`
  await writeFiles(folder, {
    'bin/plain': `${answer}echo 'Here: {"ok":true}'\n`,
    'bin/lines': `${answer}echo '{"message":{"text":"Here: "}}'\necho noise\necho '{"message":{"text":"{\\"ok\\":true}"}}'\n`,
    'script.yaml': `roles: { worker: [{ ${failure === undefined ? 'answer: { ok: true }, as: prose' : scripted[failure]} }] }\n`,
    ...Object.fromEntries(tools.map((tool) => [`bin/${tool}`, '#!/bin/sh\nexit 1\n'])),
  })
  for (const file of readdirSync(join(folder, 'bin'))) await chmod(join(folder, 'bin', file), 0o755)
  const provider = createRegistry({
    ...{ path: `${folder}/bin:${process.env['PATH'] ?? ''}`, cwd: folder, env: keys },
    commands: {
      plain: { command: ['plain', '--model={model}'], env: ['MY_KEY'] },
      lines: { command: ['lines'], output: 'jsonl', text: 'message.text' },
    },
    script: { file: join(folder, 'script.yaml') },
  })(name)
  return { provider, folder }
}

export async function makeRequest(folder: string, more: Partial<AgentRequest> = {}): Promise<AgentRequest> {
  const request: AgentRequest = {
    ...{ role: 'worker', title: 'WORKER', step: 'work', visit: 1, call: 1, mayWrite: true, worktree: folder },
    ...{
      home: join(folder, 'home'),
      promptFile: join(folder, 'prompt.md'),
      env: { PORT: '4711' },
      values: {},
    },
    ...{ capabilities: ['read', 'edit', 'shell'], model: 'some-model', ...more },
  }
  await ensureDirectory(request.home)
  await writeFile(request.promptFile, 'Do the work.\n')
  return request
}

export function versionsOf(name: string): string[] {
  return readdirSync(recordings).filter((folder) => folder.startsWith(`${name}-`))
}

/** One call, of each version that was recorded, or of the tool itself. */
export async function outcomesOf(name: string, failure?: FailureName): Promise<Outcome[]> {
  const { provider, folder } = await makeProvider(name, failure)
  if (!tools.some((tool) => tool === name)) return [await runOnce(provider, folder)]
  const file = failure ?? 'work'
  const outcomes = versionsOf(name).map(async (version) => {
    const recording = join(recordings, version, `${file}.jsonl`)
    const { heard, failure: found } = await replayed(provider, recording, failure === undefined ? 0 : 1)
    return { answer: heard.answer, failure: found }
  })
  return Promise.all(outcomes)
}

async function runOnce(provider: Provider, folder: string): Promise<Outcome> {
  const request = await makeRequest(folder)
  const command = await provider.command(request)
  const parser = provider.parse?.(request.home)
  const listener = parser && listenTo(provider.name, { parser, command })
  const [stdoutFile, stderrFile] = [join(folder, 'out.txt'), join(folder, 'err.txt')]
  const { end } = await runProcess({
    ...{ argv: command.argv, env: command.env, cwd: folder, stdinFile: request.promptFile, stdoutFile },
    ...{ stderrFile, ...(listener ? { onOutput: listener.push } : {}) },
  })
  const printed = await readFile(stdoutFile, 'utf8')
  const heard = listener?.end() ?? { answer: printed, answered: printed.trim() !== '' }
  const code = end.type === 'exited' ? end.code : -1
  const complaint = await readFile(stderrFile, 'utf8')
  const answer = heard.answer.replaceAll(/\s/g, '')
  return { answer, failure: provider.judge?.({ ...heard, code, complaint }) }
}
