import { isJsonObject } from '../model/json.ts'
import { projectKinds } from '../model/workflow.ts'
import type { ProjectKind } from '../model/workflow.ts'

/** What a project's own files say about how it is tested. Reads through the function it is given. */
export async function detectTests(
  read: (path: string) => Promise<string | undefined>,
): Promise<readonly [string, ...string[]] | undefined> {
  return (await detectProject(read))?.command
}

/** The same, with the kind of project that it is. */
export async function detectProject(
  read: (path: string) => Promise<string | undefined>,
): Promise<{ readonly kind: ProjectKind; readonly command: Command } | undefined> {
  for (const kind of projectKinds) {
    const command = await detectors[kind](read)
    if (command) return { kind, command }
  }
  return undefined
}

type Read = (path: string) => Promise<string | undefined>
type Command = readonly [string, ...string[]]

const detectors: Readonly<Record<ProjectKind, (read: Read) => Promise<Command | undefined>>> = {
  ...{ node, rust, go, python, make },
}

async function node(read: Read): Promise<Command | undefined> {
  const script = testScript(await read('package.json'))
  // The line that `npm init` writes is a placeholder, not a test.
  if (script === undefined || script.includes('no test specified')) return undefined
  if ((await read('pnpm-lock.yaml')) !== undefined) return ['pnpm', 'test']
  if ((await read('yarn.lock')) !== undefined) return ['yarn', 'test']
  return ['npm', 'test']
}

function testScript(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const scripts = isJsonObject(value) ? value['scripts'] : undefined
    const script = isJsonObject(scripts) ? scripts['test'] : undefined
    return typeof script === 'string' ? script : undefined
  } catch {
    // A package.json that is no JSON tells nothing; the project's own tools will complain about it.
    return undefined
  }
}

async function rust(read: Read): Promise<Command | undefined> {
  return (await read('Cargo.toml')) === undefined ? undefined : ['cargo', 'test']
}

async function go(read: Read): Promise<Command | undefined> {
  return (await read('go.mod')) === undefined ? undefined : ['go', 'test', './...']
}

async function python(read: Read): Promise<Command | undefined> {
  for (const file of ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements.txt']) {
    if ((await read(file)) !== undefined) return ['python3', '-m', 'pytest', '-q']
  }
  return undefined
}

async function make(read: Read): Promise<Command | undefined> {
  const text = (await read('Makefile')) ?? (await read('makefile'))
  return text !== undefined && /^test:/m.test(text) ? ['make', 'test'] : undefined
}
