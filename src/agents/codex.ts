import { join } from 'node:path'
import type { AgentRequest, Provider } from '../model/agent.ts'
import { ensureDirectory } from '../platform/files.ts'
import { readFile, writeFile } from '../platform/quick-files.ts'
import { accessOf, baseEnvironment, findTool, requireAccess, shareLogin } from './cli-tool.ts'
import type { Tool, ToolOptions } from './cli-tool.ts'
import { codexConfig } from './codex-config.ts'
import { codexDialect, codexShapes } from './codex-dialect.ts'
import { codexLines, judgeCodex } from './codex-stream.ts'
import { examineTool } from './examine-tool.ts'
import { writeHook } from './hook-script.ts'
import { isStrictSchema } from './strict-schema.ts'

const codexTool: Tool = {
  name: 'codex',
  package: '@openai/codex',
  keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  loginFile: '.codex/auth.json',
  versions: { from: '0.166.0', before: '1.0.0', tested: '0.166.0' },
}

export function createCodexProvider(options: ToolOptions, now: () => number = Date.now): Provider {
  return {
    name: codexTool.name,
    // SIGTERM kills it at once and leaves its commands running; this one takes them with it.
    stopSignal: 'SIGINT',
    mostToolCalls: options.maxTurns,
    hosts: ['api.openai.com'],
    serviceUrl: service,
    keyVariables: codexTool.keyVariables,
    baseUrlVariable: codexTool.baseUrlVariable,
    hook: codexDialect,
    examine: () => examineTool(codexTool, options),
    async check() {
      findTool(codexTool, options)
      await requireAccess(codexTool, options)
    },
    command: (request) => commandOf(request, options),
    parse: () => codexLines(now),
    judge: (end) => judgeCodex(end, now),
  }
}

async function commandOf(request: AgentRequest, options: ToolOptions) {
  const program = findTool(codexTool, options)
  const home = join(request.home, 'codex')
  await ensureDirectory(home)
  const shared = await shareLogin(codexTool, options, join(home, 'auth.json'))
  const hook = await writeHook(request, codexDialect, codexShapes)
  const moved = await moveLongPrompt(request)
  const instructions = [request.system, moved?.prompt].filter((one) => one !== undefined).join('\n\n')
  const { key, url } = accessOf(codexTool, options, request)
  await writeFile(
    join(home, 'config.toml'),
    codexConfig({ request, hook, instructions, ...(shared ? {} : { url: url ?? service }) }),
  )
  const env = {
    ...(await baseEnvironment(request, options)),
    CODEX_HOME: home,
    ...(key === undefined ? {} : { CODEX_API_KEY: key }),
    ...(await instructionsFile(request)),
  }
  const model = request.model === undefined ? [] : ['-m', request.model]
  const schema = await schemaFlags(request)
  return {
    argv: [program, ...fixedFlags, '-C', request.worktree, ...model, ...schema, '-'] as const,
    ...{
      env,
      canaryFile: hook.canary,
      sealed: hook.sealed,
      ...(moved ? { stdinFile: moved.stdinFile } : {}),
    },
  }
}

const service = 'https://api.openai.com/v1'

const fixedFlags = [
  ...['exec', '--json', '--ephemeral', '--skip-git-repo-check', '--color', 'never'],
  // Its own sandbox cannot commit; the walls around the whole process are Baton's.
  ...['-s', 'danger-full-access'],
  // A hook that is not trusted is skipped without a word. The repository's own are not loaded: it is not trusted.
  '--dangerously-bypass-hook-trust',
]

const longestInput = 1_000_000

/** It takes no more than 2^20 characters from standard input. A longer prompt goes where its own instructions go. */
async function moveLongPrompt({ promptFile, home }: AgentRequest) {
  const prompt = await readFile(promptFile, 'utf8')
  if (prompt.length <= longestInput) return undefined
  const stdinFile = join(home, 'assignment.md')
  await writeFile(stdinFile, 'Your assignment is the long message before this one. Do what it says.\n')
  return { stdinFile, prompt }
}

/** The variable is set as the specification says; the tool itself reads the same file by its settings (R002-11, C-32). */
async function instructionsFile(request: AgentRequest): Promise<Record<string, string>> {
  if (request.system === undefined) return {}
  const file = join(request.home, 'system.md')
  await writeFile(file, request.system)
  return { CODEX_INSTRUCTIONS_FILE: file }
}

/** The service takes only schemas of its strict kind and refuses the call with any other. */
async function schemaFlags({ answerSchema, home }: AgentRequest): Promise<string[]> {
  if (answerSchema === undefined || !isStrictSchema(answerSchema)) return []
  const file = join(home, 'schema.json')
  await writeFile(file, JSON.stringify(answerSchema))
  return ['--output-schema', file]
}
