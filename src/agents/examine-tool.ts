import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Examination } from '../model/agent.ts'
import { captureCommand } from '../platform/capture.ts'
import { findExecutable } from '../platform/executable.ts'
import { readLogin } from './cli-tool.ts'
import type { Tool, ToolOptions } from './cli-tool.ts'

const versionMs = 60_000

/** Only `--version` is run, in an empty home: nothing is sent to anybody. */
export async function examineTool(tool: Tool, options: ToolOptions): Promise<Examination> {
  const { from, before, tested } = tool.versions
  const program = findExecutable(tool.name, { cwd: options.cwd, env: { PATH: options.path } })
  const version = program === undefined ? undefined : await versionOf(program, options)
  const access = await accessWords(tool, options)
  const isSupported = version !== undefined && !isBefore(version, from) && isBefore(version, before)
  return {
    ready: program !== undefined && access !== undefined,
    ...{ supports: `>=${from} <${before}`, tested, isSupported },
    ...mending(tool, { isSupported, getsIn: access !== undefined }),
    ...(program === undefined ? {} : { program }),
    ...(version === undefined ? {} : { version }),
    ...(access === undefined ? {} : { access }),
  }
}

function mending(
  tool: Tool,
  { isSupported, getsIn }: { readonly isSupported: boolean; readonly getsIn: boolean },
): Pick<Examination, 'mend'> {
  const lines = [...(isSupported ? [] : [installLine(tool)]), ...(getsIn ? [] : [accessLine(tool)])]
  return lines.length === 0 ? {} : { mend: lines.join('; ') }
}

function installLine({ package: name, versions }: Tool): string {
  return `npm install --global ${name}@${versions.tested}`
}

function accessLine({ keyVariables: [variable = ''] }: Tool): string {
  return `export ${variable}=<your key>`
}

async function versionOf(program: string, { path }: ToolOptions): Promise<string | undefined> {
  const home = await mkdtemp(join(tmpdir(), 'baton-doctor-'))
  try {
    const env = { PATH: path, HOME: home, LANG: 'C.UTF-8' }
    const { stdout } = await captureCommand([program, '--version'], { env, cwd: home, timeoutMs: versionMs })
    return /\d+\.\d+\.\d+/.exec(stdout.toString())?.[0]
  } finally {
    // A tool may leave something behind that still writes.
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function accessWords(tool: Tool, options: ToolOptions): Promise<string | undefined> {
  const variable = tool.keyVariables.find((name) => (options.env[name] ?? '') !== '')
  if (variable !== undefined) return `key in ${variable}`
  if ((await readLogin(tool, options)) === undefined) return undefined
  return options.shareLogin ? "the tool's own login" : undefined
}

function isBefore(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split('.').map(Number))
  const at = [0, 1, 2].find((index) => left?.[index] !== right?.[index])
  return at !== undefined && (left?.[at] ?? 0) < (right?.[at] ?? 0)
}
