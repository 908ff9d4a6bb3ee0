import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AgentRequest, Provider } from '../model/agent.ts'
import { ensureDirectory } from '../platform/files.ts'
import { readFile, writeFile } from '../platform/quick-files.ts'
import { accessOf, baseEnvironment, findTool, refuseFiles, requireAccess, shareLogin } from './cli-tool.ts'
import type { Tool, ToolOptions } from './cli-tool.ts'
import { geminiDialect, geminiShapes } from './gemini-dialect.ts'
import { geminiSettings, removedTools } from './gemini-settings.ts'
import { geminiLines, judgeGemini } from './gemini-stream.ts'
import { examineTool } from './examine-tool.ts'
import { writeHook } from './hook-script.ts'

const geminiTool: Tool = {
  name: 'gemini',
  package: '@google/gemini-cli',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
  loginFile: '.gemini/oauth_creds.json',
  versions: { from: '0.61.0', before: '1.0.0', tested: '0.61.0' },
}

/** It obeys these before any hook runs, and they beat what Baton tells it. */
const unsafeFiles = ['.gemini/settings.json', '.gemini/.env']

export function createGeminiProvider(options: ToolOptions, now: () => number = Date.now): Provider {
  return {
    name: geminiTool.name,
    hosts: ['generativelanguage.googleapis.com'],
    keyVariables: geminiTool.keyVariables,
    baseUrlVariable: geminiTool.baseUrlVariable,
    hook: geminiDialect,
    examine: () => examineTool(geminiTool, options),
    async check() {
      findTool(geminiTool, options)
      await requireAccess(geminiTool, options)
    },
    command: (request) => commandOf(request, options),
    parse: () => geminiLines(now),
    judge: (end) => judgeGemini(end, now),
  }
}

async function commandOf(request: AgentRequest, options: ToolOptions) {
  const program = findTool(geminiTool, options)
  await refuseFiles(geminiTool, request.worktree, unsafeFiles)
  const config = join(request.home, 'gemini', '.gemini')
  await ensureDirectory(config)
  const hook = await writeHook(request, geminiDialect, geminiShapes)
  const shared = await shareLogin(geminiTool, options, join(config, 'oauth_creds.json'))
  await writeFile(
    join(config, 'settings.json'),
    JSON.stringify(geminiSettings(hook, { login: shared, maxTurns: options.maxTurns })),
  )
  const policy = join(request.home, 'gemini', 'tools.toml')
  await writeFile(policy, removedTools(request))
  const system = await writeSystem(request)
  const stdinFile = await writeAssignment(request, config)
  const env = { ...(await baseEnvironment(request, options)), ...variables(request, options), ...system }
  const model = request.model === undefined ? [] : ['--model', request.model]
  return {
    argv: [program, ...fixedFlags, ...model, '--admin-policy', policy] as const,
    ...{ env, stdinFile, canaryFile: hook.canary, sealed: hook.sealed },
  }
}

const fixedFlags = [
  ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
  // A name that does not exist: none is started, not even the workspace's own.
  ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
]

function variables(request: AgentRequest, options: ToolOptions): Record<string, string> {
  const { key, url } = accessOf(geminiTool, options, request)
  return {
    GEMINI_CLI_HOME: join(request.home, 'gemini'),
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    // One process instead of two: the launcher ignores every signal.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    ...(key === undefined ? {} : { GEMINI_API_KEY: key }),
    ...(url === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: url }),
    ...(request.model === undefined ? {} : { GEMINI_MODEL: request.model }),
  }
}

/** The file replaces the tool's own system prompt; it has to exist before the tool starts (R002-10, C-32). */
async function writeSystem(request: AgentRequest): Promise<Record<string, string>> {
  if (request.system === undefined) return {}
  const file = join(request.home, 'system.md')
  await writeFile(file, request.system)
  return { GEMINI_SYSTEM_MD: file }
}

/**
 * The tool takes every @word of a prompt for a file and a first word with a slash for a command. What follows a
 * command of the user's own is left alone, so the prompt is handed over behind one, whose name nobody can guess.
 */
async function writeAssignment(request: AgentRequest, config: string): Promise<string> {
  const name = `assignment-${randomBytes(6).toString('hex')}`
  await ensureDirectory(join(config, 'commands'))
  await writeFile(join(config, 'commands', `${name}.toml`), `prompt = ${JSON.stringify(introduction)}\n`)
  const stdinFile = join(request.home, 'assignment.md')
  await writeFile(stdinFile, `/${name}\n${await readFile(request.promptFile, 'utf8')}`)
  return stdinFile
}

/** Its file tools refuse build files, without a word of how else. */
const introduction = `What follows the first line below is your whole assignment. The file tools refuse to change build \
files such as package.json; where the assignment needs that and you have a shell, change them through the shell.`
