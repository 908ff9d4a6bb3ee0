import { isJsonObject } from '../model/json.ts'
import type { CheckSetting } from '../model/settings.ts'

/** A tool of the project's own, and what has to be installed for it beside the command itself. */
export interface Tool {
  readonly name: string
  readonly setting: CheckSetting
  /** A program that the command calls, or a file of the worktree that it needs. */
  readonly needs: readonly string[]
}

type Read = (path: string) => Promise<string | undefined>

/** What a check step may name to have all of them run. */
export const projectTools = 'project-tools'

/**
 * The tools that fit a project, by its own files: its tests first, then what looks for mistakes, then what knows of
 * weak dependencies (C-29). Reads through the function it is given.
 */
export async function detectTools(read: Read): Promise<Tool[]> {
  const found = await Promise.all([rust(read), node(read), python(read), go(read), make(read)])
  // A Makefile says how to test where nothing else does.
  const own = found.slice(0, -1).flat()
  return own.length > 0 ? own : (found.at(-1) ?? [])
}

const minutes = 60_000

function required(command: CheckSetting['command'], needs: readonly string[] = []): Tool {
  return toolOf(command, { needs, optional: false })
}

function optional(command: CheckSetting['command'], needs: readonly string[] = []): Tool {
  return toolOf(command, { needs, optional: true })
}

function toolOf(
  command: CheckSetting['command'],
  { needs, optional: isOptional }: { readonly needs: readonly string[]; readonly optional: boolean },
): Tool {
  const network = hosts[command.join(' ')] ?? []
  const setting = { command, timeoutMs: 10 * minutes, optional: isOptional, labels: {}, network }
  return { name: nameOf(command), setting, needs }
}

/** Who knows of weak dependencies asks somebody for them. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  'npm audit': ['registry.npmjs.org'],
  'pip-audit': ['pypi.org'],
  'cargo audit': ['index.crates.io'],
}

/** As people say it: `cargo test`, `npm run lint`, `pytest`. */
function nameOf([program, ...words]: CheckSetting['command']): string {
  const plain = words.filter((word) => !word.startsWith('-') && !/[./]/.test(word))
  if (program === 'npx') return plain[0] ?? program
  if (program === 'python3') return plain[0] ?? program
  return [program, ...plain.slice(0, program === 'npm' ? 2 : 1)].join(' ')
}

async function rust(read: Read): Promise<Tool[]> {
  if ((await read('Cargo.toml')) === undefined) return []
  return [
    required(['cargo', 'test']),
    optional(['cargo', 'clippy', '--all-targets'], ['cargo-clippy']),
    optional(['cargo', 'audit'], ['cargo-audit']),
    optional(['semgrep', 'scan', '--error', '--quiet']),
  ]
}

async function node(read: Read): Promise<Tool[]> {
  const text = await read('package.json')
  if (text === undefined) return []
  const scripts = scriptsIn(text)
  const hasLock = (await read('package-lock.json')) !== undefined
  return [
    ...(hasScript(scripts, 'test') ? [required(['npm', 'test'])] : []),
    ...(hasScript(scripts, 'lint') ? [optional(['npm', 'run', 'lint'])] : []),
    ...((await read('tsconfig.json')) === undefined
      ? []
      : [optional(['npx', '--no-install', 'tsc', '--noEmit'], ['node_modules/.bin/tsc'])]),
    ...(hasLock ? [optional(['npm', 'audit'])] : []),
  ]
}

function scriptsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    const scripts = isJsonObject(value) ? value['scripts'] : undefined
    return isJsonObject(scripts) ? scripts : {}
  } catch {
    // Not JSON: npm itself will say so, where it is run.
    return {}
  }
}

function hasScript(scripts: Readonly<Record<string, unknown>>, name: string): boolean {
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
  return typeof script === 'string' && !script.includes('no test specified')
}

const pythonFiles = ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini']

async function python(read: Read): Promise<Tool[]> {
  const texts = await Promise.all(pythonFiles.map(read))
  if (texts.every((text) => text === undefined)) return []
  return [
    required(['python3', '-m', 'pytest', '-q']),
    optional(['ruff', 'check', '.']),
    optional(['pip-audit']),
  ]
}

async function go(read: Read): Promise<Tool[]> {
  if ((await read('go.mod')) === undefined) return []
  return [required(['go', 'test', './...']), optional(['go', 'vet', './...'])]
}

async function make(read: Read): Promise<Tool[]> {
  const text = (await read('Makefile')) ?? (await read('makefile'))
  return text !== undefined && /^test:/m.test(text) ? [required(['make', 'test'])] : []
}
