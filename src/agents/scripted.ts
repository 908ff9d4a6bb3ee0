import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRequest, Provider } from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import { errorCode } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { packageFile } from '../platform/package-file.ts'
import { readFile, writeFile } from '../platform/quick-files.ts'
import { eventLines, judgeEvents } from './event-lines.ts'
import { pickCall, type Play } from './pick-call.ts'
import type { Script } from './script-schema.ts'
import { isStream } from './scripted-events.ts'

export interface ScriptedOptions {
  readonly scriptFile?: string | undefined
  /** The script as it was when the run began. With it the file is only a name for messages. */
  readonly text?: string | undefined
  /** PATH of the agents. */
  readonly path: string
}

/** An agent whose model is a YAML file: a real process, for tests, demonstrations and trying out a workflow. */
export function createScriptedProvider(options: ScriptedOptions): Provider {
  let script: Promise<Script> | undefined
  // Read once, so that all agents of a process play from the same script.
  const load = (): Promise<Script> => (script ??= loadScript(options))
  return {
    name: 'scripted',
    isScripted: true,
    finalExitCodes,
    async check() {
      await load()
    },
    async entries() {
      const { roles = {}, steps = {} } = await load()
      return { roles: Object.keys(roles), steps: Object.keys(steps) }
    },
    parse: (home) => (playsStream(home) ? eventLines : undefined),
    judge: (end) => judgeEvents(end, finalExitCodes),
    async command(request) {
      const play = playOf(await load(), request, options.scriptFile)
      const playFile = playFileIn(request.home)
      await ensureDirectory(request.home)
      await writeFile(playFile, JSON.stringify(play))
      return { argv: [process.execPath, programFile(), playFile], env: environmentOf(request, options.path) }
    },
  }
}

/** A script that cannot be played, or whose expectations are not met, is no accident. */
const finalExitCodes = [64, 65]

/** Said by the call's own file, which is there also when an engine that was killed is resumed. */
function playsStream(home: string): boolean {
  const text = readFileSync(playFileIn(home), 'utf8')
  const play = JSON.parse(text) as Play
  return play.type === 'call' && isStream(play.call)
}

function playFileIn(home: string): string {
  return join(home, 'scripted-call.json')
}

async function loadScript({ scriptFile, text }: ScriptedOptions): Promise<Script> {
  if (text === undefined && scriptFile === undefined) throw missing('the provider scripted needs a script')
  const { parseScript } = await import('./script-file.ts')
  return parseScript(text ?? (await readScript(scriptFile ?? '')), scriptFile ?? 'script')
}

async function readScript(scriptFile: string): Promise<string> {
  try {
    return await readFile(scriptFile, 'utf8')
  } catch (cause) {
    throw missing(`the script ${scriptFile} cannot be read (${errorCode(cause)})`, cause)
  }
}

function missing(message: string, cause?: unknown): FailureError {
  return new FailureError({
    code: 'script.missing',
    message,
    // Which workflow or verb was typed nobody knows here, and a command without it would run another.
    next: 'Type the same command with a script that can be read: --script <file>',
    cause,
  })
}

function playOf(script: Script, request: AgentRequest, scriptFile = 'script'): Play {
  const { role, step, worktree, values } = request
  const call = pickCall(script, request)
  if (call) return { type: 'call', call, worktree, values }
  return {
    type: 'nothing',
    reason: `${scriptFile} has no entry for role '${role}' or step '${step}'; a run keeps its script: start a new one, and cancel this one if it has not ended`,
  }
}

function environmentOf({ home, env }: AgentRequest, path: string): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...env,
  }
}

/** The built program, also from source (vitest, tsx): Node 20 does not run TypeScript. */
function programFile(): string {
  return packageFile('dist/agents/scripted-agent.cjs')
}
