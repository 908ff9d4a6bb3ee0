import { join } from 'node:path'
import type {
  AgentCommand,
  AgentEvent,
  AgentFailure,
  AgentRequest,
  Examination,
  LineParser,
  Provider,
} from '../model/agent.ts'
import type { CommandProvider } from '../model/command-provider.ts'
import { FailureError } from '../model/failure.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { findExecutable } from '../platform/executable.ts'
import { readFile, writeFile } from '../platform/quick-files.ts'
import { baseEnvironment } from './cli-tool.ts'
import type { ToolOptions } from './cli-tool.ts'
import { failureIn, shortened } from './error-words.ts'
import { objectIn } from './json-line.ts'

/** A tool that only the settings know: a list of words, a way for the prompt in and one for the answer out. */
export function createCommandProvider(
  name: string,
  spec: CommandProvider,
  options: ToolOptions & { readonly now?: () => number },
): Provider {
  const now = options.now ?? Date.now
  return {
    name,
    ...(spec.stop === undefined ? {} : { stopSignal: spec.stop }),
    ...(spec.output === 'jsonl' ? { parse: () => linesOf(spec) } : {}),
    judge: ({ code, complaint, answered }) =>
      code === 0 && answered ? undefined : failureOf(name, { code, complaint, now: now() }),
    async check() {
      programOf(spec, options)
    },
    examine: async () => examinationOf(name, spec, options),
    command: (request) => commandOf(spec, request, options),
  }
}

/** It is not started, not even for its version: nobody knows what it takes `--version` for. */
function examinationOf(name: string, spec: CommandProvider, options: ToolOptions): Examination {
  const program = findProgram(spec, options)
  if (program !== undefined) return { ready: true, program }
  return { ready: false, mend: `Install '${spec.command[0] ?? ''}', or change providers.${name}.command` }
}

function findProgram({ command: [name = ''] }: CommandProvider, options: ToolOptions): string | undefined {
  return findExecutable(name, { cwd: options.cwd, env: { PATH: options.path } })
}

function programOf(spec: CommandProvider, options: ToolOptions): string {
  const found = findProgram(spec, options)
  if (found !== undefined) return found
  throw new FailureError({
    code: 'provider.missing',
    message: `Command '${spec.command[0] ?? ''}' not found. Please ensure it is installed and in your PATH.`,
    next: 'baton doctor shows which providers are ready; --provider NAME chooses another',
  })
}

async function commandOf(
  spec: CommandProvider,
  request: AgentRequest,
  options: ToolOptions,
): Promise<AgentCommand> {
  const env = { ...(await baseEnvironment(request, options)), ...handedOver(spec, options) }
  const prompt = spec.prompt === 'argument' ? await readFile(request.promptFile, 'utf8') : ''
  const systemFile = join(request.home, 'system.md')
  await writeFile(systemFile, request.system ?? '')
  const values: Readonly<Record<string, string>> = {
    ...{ prompt, prompt_file: request.promptFile, model: request.model ?? '', worktree: request.worktree },
    ...{ home: request.home, system_file: systemFile },
  }
  const words = spec.command.slice(1).map((word) => filledIn(word, values))
  const isNamed = spec.command.some((word) => word.includes('{prompt}') || word.includes('{prompt_file}'))
  const last = { stdin: [], argument: [prompt], file: [request.promptFile] }[spec.prompt ?? 'stdin']
  return { argv: [programOf(spec, options), ...words, ...(isNamed ? [] : last)], env }
}

/** In one pass, so that what is filled in is not read again. */
function filledIn(word: string, values: Readonly<Record<string, string>>): string {
  return word.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => values[name] ?? whole)
}

function handedOver({ env = [] }: CommandProvider, options: ToolOptions): Record<string, string> {
  return Object.fromEntries(
    env.flatMap((name) => {
      const value = options.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The words of all lines that have some, one after the other; lines without are none of ours. */
function linesOf({ text = 'text' }: CommandProvider): LineParser {
  const keys = text.split('.')
  let started = false
  return {
    line(line) {
      const object = objectIn(line)
      if (!object) return []
      const found = keys.reduce<Json | undefined>(
        (at, key) => (isJsonObject(at) ? at[key] : undefined),
        object,
      )
      const begun: AgentEvent[] = started ? [] : [{ type: 'started' }]
      started = true
      return typeof found === 'string' ? [...begun, { type: 'text', text: found }] : begun
    },
  }
}

interface Failed {
  readonly code: number
  readonly complaint: string
  readonly now: number
}

function failureOf(name: string, { code, complaint, now }: Failed): AgentFailure {
  if (code === 0) return { error: 'protocol', message: `${name}: it ended without an answer` }
  const said = complaint.trim() === '' ? '' : `: ${shortened(complaint)}`
  const message = `${name} ended with exit code ${code}${said}`
  return { error: 'crash', ...failureIn(complaint, now), message }
}
