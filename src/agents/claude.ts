import { join } from 'node:path'
import type { AgentRequest, Provider } from '../model/agent.ts'
import type { JsonObject } from '../model/json.ts'
import { ensureDirectory, readHead } from '../platform/files.ts'
import { readFile, writeFile } from '../platform/quick-files.ts'
import { claudeDialect, claudeShapes } from './claude-dialect.ts'
import { claudeLines, judgeClaude } from './claude-stream.ts'
import { accessOf, baseEnvironment, findTool, requireAccess, shareLogin } from './cli-tool.ts'
import type { Tool, ToolOptions } from './cli-tool.ts'
import { examineTool } from './examine-tool.ts'
import { writeHook } from './hook-script.ts'
import type { HookFiles } from './hook-script.ts'
import { isStrictSchema } from './strict-schema.ts'

const claudeTool: Tool = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  keyVariables: ['ANTHROPIC_API_KEY'],
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  loginFile: '.claude/.credentials.json',
  versions: { from: '2.1.295', before: '3.0.0', tested: '2.1.325' },
}

const hookSeconds = 30

export function createClaudeProvider(options: ToolOptions, now: () => number = Date.now): Provider {
  return {
    name: claudeTool.name,
    hosts: ['api.anthropic.com'],
    keyVariables: claudeTool.keyVariables,
    baseUrlVariable: claudeTool.baseUrlVariable,
    hook: claudeDialect,
    examine: () => examineTool(claudeTool, options),
    async check() {
      findTool(claudeTool, options)
      await requireAccess(claudeTool, options)
    },
    command: (request) => commandOf(request, options),
    parse: () => claudeLines(now),
    judge: (end) => judgeClaude(end, now),
  }
}

async function commandOf(request: AgentRequest, options: ToolOptions) {
  const program = findTool(claudeTool, options)
  const config = join(request.home, 'claude')
  await ensureDirectory(config)
  await shareLogin(claudeTool, options, join(config, '.credentials.json'))
  const hook = await writeHook(request, claudeDialect, claudeShapes)
  const stdinFile = await harmlessPrompt(request)
  const env = { ...(await baseEnvironment(request, options)), ...variables(request, options, config) }
  return {
    argv: [
      program,
      ...fixedFlags,
      ...(await flagsOf(request)),
      '--max-turns',
      String(options.maxTurns),
      '--settings',
      settingsWith(hook),
    ] as const,
    ...{
      env,
      canaryFile: hook.canary,
      sealed: hook.sealed,
      ...(stdinFile === undefined ? {} : { stdinFile }),
    },
  }
}

const fixedFlags = [
  ...[
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-hook-events',
    '--no-session-persistence',
  ],
  // Neither the user's nor the repository's settings, memory, skills, agents or servers.
  ...['--restricted', '--setting-sources', '', '--strict-mcp-config'],
  // What is not on the list is denied without a question.
  ...['--permission-mode', 'manual', '--permission-prompts', 'none'],
]

async function flagsOf(request: AgentRequest): Promise<string[]> {
  const model = request.model === undefined ? [] : ['--model', request.model]
  const tools = toolsFor(request)
  const flags = [...model, '--tools', tools, '--allowedTools', tools, ...(await systemFlags(request))]
  return [...flags, ...schemaFlags(request)]
}

/** A word of the command line has at most 128 KiB. */
const longestSchema = 100_000

/**
 * It offers the model one more tool that takes the answer, and ends once that was called well. A schema that it
 * cannot compile ends the call before it begins; so only plain ones are handed over, and the engine checks every
 * answer itself in any case.
 */
function schemaFlags({ answerSchema }: AgentRequest): string[] {
  if (answerSchema === undefined || !isStrictSchema(answerSchema)) return []
  const { $schema: _dialect, $id: _id, ...plain } = answerSchema as JsonObject
  const text = JSON.stringify(plain)
  return text.length > longestSchema ? [] : ['--json-schema', text]
}

/**
 * --tools says which of them the model is offered; --allowedTools, which the specification names, that the tool itself
 * has no further question (R002-53). The hook is asked all the same, and where it fails the call is blocked.
 */
function toolsFor({ capabilities, mayWrite }: Pick<AgentRequest, 'capabilities' | 'mayWrite'>): string {
  const has = (name: (typeof capabilities)[number]) => capabilities.includes(name)
  return [
    ...(mayWrite ? ['Write', 'Edit'] : []),
    'Read',
    ...(has('shell') || has('commit') || has('merge') ? ['Bash'] : []),
    ...['Glob', 'Grep'],
    ...(has('web_search') ? ['WebSearch', 'WebFetch'] : []),
    ...(has('investigate') ? ['Task'] : []),
  ].join(',')
}

async function systemFlags(request: AgentRequest): Promise<string[]> {
  if (request.system === undefined) return []
  const file = join(request.home, 'system.md')
  await writeFile(file, request.system)
  return ['--append-system-prompt-file', file]
}

function settingsWith({ ask, start }: HookFiles): string {
  const run = (command: string) => ({
    ...{ type: 'command', command, args: [], timeout: hookSeconds, onFailure: 'block' },
  })
  return JSON.stringify({
    disableAllHooks: false,
    attribution: { commit: '', pr: '' },
    hooks: {
      PreToolUse: [{ matcher: '*', hooks: [run(ask)] }],
      SessionStart: [{ hooks: [run(start)] }],
    },
  })
}

function variables(request: AgentRequest, options: ToolOptions, config: string): Record<string, string> {
  const { key, url } = accessOf(claudeTool, options, request)
  return {
    CLAUDE_CONFIG_DIR: config,
    CLAUDE_CODE_TMPDIR: join(request.home, 'tmp'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    ...(key === undefined ? {} : { ANTHROPIC_API_KEY: key }),
    ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }),
    ...(request.model === undefined ? {} : { ANTHROPIC_MODEL: request.model }),
  }
}

/** A prompt that begins with a slash is taken for one of the tool's own commands, so a plain line goes first. */
async function harmlessPrompt({ promptFile, home }: AgentRequest): Promise<string | undefined> {
  if (!(await readHead(promptFile, 4096)).trimStart().startsWith('/')) return undefined
  const file = join(home, 'assignment.md')
  await writeFile(file, `Your assignment:\n\n${await readFile(promptFile, 'utf8')}`)
  return file
}
