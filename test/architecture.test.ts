import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cyclesIn, root, sourceFiles } from './support/source-files.ts'

const files = sourceFiles('src')
const shipped = files.filter(({ path }) => !path.endsWith('.test.ts'))
const table = importTable()

describe('the layout', () => {
  it('has only the folders that ARCHITECTURE.md lists', () => {
    const folders = new Set(shipped.map(({ path }) => folderOf(path)))
    expect([...folders].filter((folder) => !table.has(folder))).toEqual([])
  })

  it('lets a folder import only what the table in ARCHITECTURE.md allows', () => {
    const offences = shipped.flatMap(({ path, imports }) =>
      imports
        .map(folderOf)
        .filter((target) => target !== folderOf(path) && !mayImport(folderOf(path), target))
        .map((target) => `${path} imports ${target}`),
    )
    expect(offences).toEqual([])
  })

  it('has no import cycles, not even of types', () => {
    expect(cyclesIn(shipped)).toEqual([])
  })

  it('R002-25, R002-30: starts processes only in platform', () => {
    const offenders = shipped.filter(
      ({ path, packages }) => packages.some(isProcessModule) && folderOf(path) !== 'platform',
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('ships no code that only tests use', () => {
    expect(shipped.filter(({ packages }) => packages.includes('vitest')).map(({ path }) => path)).toEqual([])
  })

  it('keeps every file to one idea of at most 250 lines', () => {
    const long = shipped.filter(({ text }) => linesOfCode(text) > 250)
    expect(long.map(({ path }) => path)).toEqual([])
  })
})

describe('git of the engine', () => {
  const ofGit = shipped.filter(({ path }) => folderOf(path) === 'git')

  it('works where an agent can write through one file only, which lets it start no program', () => {
    const offences = ofGit
      .filter(({ path }) => !/\/(host-git|agent-space)\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        callsOf(text, ['git', 'gitText', 'gitCommand', 'discoveryGit'])
          .filter((call) =>
            /\bworkTree\b|onWorktree|[wW]orktree\b(?!', '(add|prune|list))|[pP]rivate/.test(call),
          )
          .map((call) => `${path}: ${call.slice(0, 60)}`),
      )
    expect(offences).toEqual([])
  })

  it('is started in one file for the repository of the person and one that asks for the room first', () => {
    const starters = ofGit.filter(
      // The demo's repository is nobody's.
      ({ path, text }) =>
        !path.endsWith('/make-repository.ts') && callsOf(text, ['captureCommand', 'pipeCommands']).length > 0,
    )
    expect(starters.map(({ path }) => path)).toEqual(['src/git/agent-space.ts', 'src/git/host-git.ts'])
    const space = starters.find(({ path }) => path.endsWith('agent-space.ts'))?.text ?? ''
    const ways = space.split('export async function ').slice(1)
    const asks = ['roomOf(options.gitDir)', 'return gitOutOfTurn(args, options)']
    expect(ways.filter((way) => !asks.some((text) => way.includes(text)))).toEqual([])
    // Whoever has a plan for a command has not asked yet.
    const planners = ofGit.filter(({ text }) => callsOf(text, ['gitCommand']).length > 0)
    expect(planners.map(({ path }) => path)).toEqual([
      'src/git/agent-space.ts',
      'src/git/host-git.ts',
      'src/git/quarantine.ts',
    ])
  })

  it('is called nowhere but in git', () => {
    const outside = shipped.filter(({ path }) => !['git', 'steps', 'cli'].includes(folderOf(path)))
    expect(outside.filter(({ imports }) => imports.includes('src/git/host-git.ts'))).toEqual([])
    const inSteps = shipped.filter(({ path }) => ['steps', 'cli'].includes(folderOf(path)))
    const offences = inSteps.flatMap(({ path, text }) =>
      callsOf(text, ['git', 'gitText', 'gitCommand', 'discoveryGit'])
        .filter((call) => /worktree|private/i.test(call))
        .map((call) => `${path}: ${call.slice(0, 60)}`),
    )
    expect(offences).toEqual([])
  })

  it('is found where it is called', () => {
    const text = "await git(['status', '-z'], { ...onWorktree(task), input: names.join(')') })"
    expect(callsOf(text, ['git'])[0]).toContain('onWorktree(task)')
  })
})

/** Whole calls, from the name to the closing bracket. */
function callsOf(text: string, names: readonly string[]): string[] {
  const starts = text.matchAll(new RegExp(`(?<![.\\w])(?:${names.join('|')})\\(`, 'g'))
  return [...starts].map(({ index, 0: start }) => {
    let depth = 1
    let at = index + start.length
    for (; depth > 0 && at < text.length; at++) {
      if (text[at] === '(') depth += 1
      if (text[at] === ')') depth -= 1
    }
    return text.slice(index, at)
  })
}

describe('names that belong in one place', () => {
  it('are role names, which stand in workflows and nowhere in src (R001-134)', () => {
    const roles = rolesOfBuiltInWorkflows()
    expect(roles).toContain('integration_specialist')
    expect(mentions(shipped, roles)).toEqual([])
  })

  it('are names of agent tools, which stand only in agents', () => {
    const outside = shipped.filter(({ path }) => folderOf(path) !== 'agents')
    expect(mentions(outside, ['gemini', 'claude', 'codex'])).toEqual([])
  })

  it('are names of forges, which stand only in forge', () => {
    const outside = shipped.filter(
      ({ path }) => folderOf(path) !== 'forge' && !path.endsWith('journal/redact.ts'),
    )
    expect(mentions(outside, ['github', 'gitlab'])).toEqual([])
  })
})

describe('the architecture test itself', () => {
  it('sees imports, lazy imports and type imports', () => {
    const program = files.find(({ path }) => path === 'src/cli/add-runs.ts')
    expect(program?.imports).toContain('src/cli/commands/run.ts')
    expect(program?.imports).toContain('src/cli/command.ts')
  })

  it('finds a cycle where there is one', () => {
    const a = { path: 'a.ts', text: '', imports: ['b.ts'], packages: [] }
    const b = { path: 'b.ts', text: '', imports: ['a.ts'], packages: [] }
    expect(cyclesIn([a, b])).toEqual([['a.ts', 'b.ts', 'a.ts']])
  })
})

function linesOfCode(text: string): number {
  return text.split('\n').filter((line) => !/^\s*(\/\/.*|\/?\*.*)?$/.test(line)).length
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function isProcessModule(name: string): boolean {
  return name === 'node:child_process' || name === 'child_process' || name === 'node:worker_threads'
}

function mayImport(from: string, to: string): boolean {
  const allowed = table.get(from) ?? []
  return allowed.includes('everything') || allowed.includes(to)
}

/** The table of ARCHITECTURE.md is the rule: `| model | nothing |`. */
function importTable(): Map<string, string[]> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = text.matchAll(/^\|\s*`?([a-z]+)`?\s*\|\s*([a-z`, ]+?)\s*\|\s*$/gm)
  return new Map(
    [...rows].map(
      ([, folder = '', allowed = '']) => [folder, allowed.replaceAll('`', '').split(/\s*,\s*/)] as const,
    ),
  )
}

function rolesOfBuiltInWorkflows(): string[] {
  const text = readFileSync(join(root, 'workflows', 'pipeline.yaml'), 'utf8')
  return Object.keys((parse(text) as { roles: Record<string, unknown> }).roles)
}

function mentions(
  among: readonly { readonly path: string; readonly text: string }[],
  words: readonly string[],
): string[] {
  return among.flatMap(({ path, text }) =>
    words
      .filter((word) => new RegExp(`\\b${word.replaceAll('_', '[_ ]?')}s?\\b`, 'i').test(text))
      .map((word) => `${path}: ${word}`),
  )
}
