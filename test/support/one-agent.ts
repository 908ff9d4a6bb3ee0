// One call of a real tool, by its adapter and the engine's own listener, without a run around it.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRegistry } from '../../src/agents/registry.ts'
import type { Heard } from '../../src/agents/transcript.ts'
import type { AgentEnd, Provider, AgentEvent, AgentFailure, AgentRequest } from '../../src/model/agent.ts'
import { ensureDirectory } from '../../src/platform/files.ts'
import { runProcess } from '../../src/platform/process.ts'
import type { ProcessEnd } from '../../src/platform/process.ts'
import { listenTo, toolCallLimit } from '../../src/steps/watch-agent.ts'
import type { Watch } from '../../src/steps/watch-agent.ts'
import { makeFolder, makeRepository } from './git.ts'

export interface OneCall {
  readonly prompt: string
  /** The user's variables: his home, keys, addresses. */
  readonly env: Readonly<Record<string, string>>
  readonly path: string
  readonly request?: Partial<AgentRequest>
  readonly worktree?: string
  readonly maxTurns?: number
  readonly onEvent?: (event: AgentEvent) => void
  /** The last chance to spoil something before the start. */
  readonly before?: (request: AgentRequest) => Promise<void>
}

export interface Called {
  readonly end: ProcessEnd
  readonly heard: Heard
  readonly failure?: AgentFailure
  readonly worktree: string
  readonly home: string
  readonly stream: string
  readonly errors: string
}

export async function callTool(name: string, call: OneCall): Promise<Called> {
  const folder = await makeFolder()
  const request = await requestOf(name, call, folder)
  const { worktree } = request
  const provider = createRegistry({
    ...{ path: call.path, cwd: worktree, env: call.env },
    ...(call.maxTurns === undefined ? {} : { maxTurns: call.maxTurns }),
  })(name)
  const command = await provider.command(request)
  await call.before?.(request)
  const { parser, judge } = streamOf(provider, request.home)
  const limit = toolCallLimit(name, provider.mostToolCalls)
  const listener = listenTo(name, { parser, command, others: [noticing(call), ...limit] })
  const files = { stdoutFile: join(folder, 'stream.jsonl'), stderrFile: join(folder, 'errors.txt') }
  const { end } = await runProcess({
    ...{ argv: command.argv, env: command.env, cwd: worktree, ...files, onOutput: listener.push },
    ...{ stdinFile: command.stdinFile ?? request.promptFile, mark: { owner: folder, name: folder } },
    ...{ signal: listener.signal, stopSignal: provider.stopSignal ?? 'SIGTERM', wallMs: 300_000 },
  })
  const heard = listener.end()
  const errors = await readFile(files.stderrFile, 'utf8')
  const code = end.type === 'exited' ? end.code : -1
  const failure = listener.stopped() ?? judge({ ...heard, code, complaint: errors.slice(-4000) })
  const told = { end, heard, worktree, home: request.home, errors }
  return { ...told, stream: await readFile(files.stdoutFile, 'utf8'), ...(failure ? { failure } : {}) }
}

function streamOf(provider: Provider, home: string) {
  const parser = provider.parse?.(home)
  if (!parser || !provider.judge) throw new Error(`${provider.name} has no stream`)
  return { parser, judge: (end: AgentEnd) => provider.judge?.(end) }
}

function noticing({ onEvent }: OneCall): Watch {
  return (event) => {
    onEvent?.(event)
    return undefined
  }
}

async function requestOf(name: string, call: OneCall, folder: string): Promise<AgentRequest> {
  const worktree = call.worktree ?? (await makeRepository({ 'README.md': 'A small project.\n' }))
  const request: AgentRequest = {
    ...{ role: 'worker', title: 'WORKER', step: 'work', visit: 1, call: 1, mayWrite: true, worktree },
    ...{ home: join(folder, 'home'), promptFile: join(folder, 'prompt.md'), env: {}, values: {} },
    capabilities: ['read', 'edit', 'shell', 'commit'],
    model: testModels[name] ?? 'none',
    ...call.request,
  }
  await ensureDirectory(request.home)
  await writeFile(request.promptFile, call.prompt)
  return request
}

/** Models whose tools are plain ones, and that are asked for by name. */
export const testModels: Readonly<Record<string, string>> = {
  gemini: 'gemini-2.5-flash',
  claude: 'sonnet',
  codex: 'gpt-5.5',
}
