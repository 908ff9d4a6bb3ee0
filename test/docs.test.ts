import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Command as Commander } from 'commander'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createProgram } from '../src/cli/program.ts'
import { agentErrors } from '../src/model/agent.ts'
import { eventTypes } from '../src/model/event.ts'
import { exitCodes } from '../src/model/failure.ts'
import { outcomes } from '../src/model/outcome.ts'
import { settingsFileSchema } from '../src/model/settings.ts'
import { capabilities } from '../src/model/step-file.ts'
import { workflowFileSchema } from '../src/model/workflow-file.ts'
import { builtInReads, reservedTargets, runVariables, stepVariables } from '../src/model/built-in-names.ts'
import { actionLabels } from '../src/steps/actions.ts'
import { gateShapes } from '../src/gates/judge-gates.ts'
import { root, sourceFiles } from './support/source-files.ts'

describe('the reference', () => {
  it('explains every failure code of the program, and no other', () => {
    const documented = firstCells('errors.md').filter((cell) => cell.includes('.'))
    expect(documented.toSorted()).toEqual(failureCodes())
  })

  it('has for every failure code a test that names it, or a reason why nobody can type it', () => {
    const tests = ['src', 'test']
      .flatMap((folder) => sourceFiles(folder))
      .filter(({ path }) => path.endsWith('.test.ts') && path !== 'test/docs.test.ts')
      .map(({ text }) => text)
      .join('\n')
    const unnamed = failureCodes().filter((code) => !tests.includes(code) && !Object.hasOwn(notTyped, code))
    expect(unnamed).toEqual([])
  })

  it('explains every event type, and no other', () => {
    const documented = firstCells('events.md').filter(
      (cell) => !['ts', 'role', 'type', 'data'].includes(cell),
    )
    expect(documented.toSorted()).toEqual([...eventTypes].toSorted())
  })

  it('explains every exit code', () => {
    const page = reference('exit-codes.md')
    const missing = Object.entries(exitCodes).filter(
      ([name, code]) => !page.includes(`| ${code} | ${name} |`),
    )
    expect(missing).toEqual([])
  })

  it('explains every key of a workflow file', () => {
    const keys = [...new Set(keysOf(workflowFileSchema).map((key) => key.split('.').at(-1) ?? ''))]
    expect(unmentioned('workflow-language.md', keys)).toEqual([])
  })

  it('explains every gate, action, and label, also of an agent that gave no answer', () => {
    const names = [
      ...Object.keys(gateShapes),
      ...Object.keys(actionLabels),
      ...Object.values(actionLabels).flat(),
      ...agentErrors,
    ]
    expect(unmentioned('workflow-language.md', names)).toEqual([])
  })

  it('explains every outcome, reserved word, capability and variable', () => {
    const words = [...outcomes, ...reservedTargets, ...builtInReads, ...capabilities]
    expect(unmentioned('workflow-language.md', [...words, ...runVariables, ...stepVariables])).toEqual([])
  })

  it('explains every command and every flag', () => {
    const nothing = (): void => undefined
    const open = (): never => {
      throw new Error('no command is run here')
    }
    const program = createProgram({ open, done: nothing, complain: nothing })
    expect(unmentioned('cli.md', [...commandsOf(program), ...flagsOf(program)])).toEqual([])
  })

  it('explains every setting, and no other', () => {
    const table = firstCells('settings.md').filter((cell) => /^[$a-z]/.test(cell))
    const sections = ['worktree', 'scripted', 'forge', 'http']
    const known = keysOf(settingsFileSchema).filter(
      // The keys of a rule stand on a page of their own.
      (key) =>
        !sections.includes(key) && !/^(checks|tools)\.<name>$/.test(key) && !key.startsWith('firewall.'),
    )
    expect(table.toSorted()).toEqual([...new Set(known)].toSorted())
  })
})

describe('the documents', () => {
  const files = markdownFiles(root)

  it('R003-12, R003-13: say how it is built, what was decided, and where to begin', () => {
    for (const name of ['README.md', 'ARCHITECTURE.md', 'docs/decisions/README.md'])
      expect(files).toContain(name)
  })

  it('have no relative link that leads nowhere', () => {
    expect(files).toContain('README.md')
    expect(files.flatMap(brokenLinks)).toEqual([])
  })

  it('say each thing once: no table has a key twice, and no two paragraphs begin or end with the same eight words', () => {
    expect(files.flatMap((file) => [...repeatedRows(file), ...repeatedParagraphs(file)])).toEqual([])
  })

  it('are pointed to by CLAUDE.md and GEMINI.md in one line', () => {
    for (const name of ['CLAUDE.md', 'GEMINI.md']) expect(read(name)).toBe('Read [AGENTS.md](AGENTS.md).\n')
  })

  it('keep AGENTS.md under a hundred lines', () => {
    expect(read('AGENTS.md').split('\n').length).toBeLessThan(100)
  })
})

/** Codes that nobody meets by typing something, and why no test makes them happen. */
const notTyped: Readonly<Record<string, string>> = {
  'action.unknown': 'only a run of another version has such an action',
  'baton.bug': 'what is not expected',
  'git.version': 'git is looked for in /usr/bin first, where the tests need it',
  'journal.diverged': 'only code that has changed asks for another value than the recorded one',
  'pr.silent': 'needs a forge where nobody has said anything',
  'replay.commit': 'needs a recording without the objects of one of its commits',
  'replay.early': 'needs a run that ended before it had a branch',
  'replay.missing': 'needs a recording without a file that it names',
  'snapshot.refused': 'needs a worktree that somebody spoils between two commands',
  'undo.refused': 'needs an old tree that the import refuses today',
  'worktree.unreadable': 'needs a file that not even root can read',
  'worktree.unsafe': 'needs a link where the engine is about to write',
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function reference(name: string): string {
  return read(join('docs', 'reference', name))
}

/** What stands in code letters in the first column of a page's tables. */
function firstCells(name: string): string[] {
  return [...reference(name).matchAll(/^\| `([^`]+)`(?: \||,)/gm)].map(([, cell = '']) => cell)
}

function unmentioned(page: string, words: readonly string[]): string[] {
  // In code letters, alone or with something around them: `{ score: 70 }`, `baton workflow list`.
  const code = [...reference(page).matchAll(/`([^`\n]+)`|^```[a-z]*\n([\s\S]*?)^```/gm)]
  const written = code.map(([, inline, block]) => ` ${inline ?? block ?? ''} `).join('\n')
  return [...new Set(words)].filter(
    (word) => !new RegExp(`(?<![\\w.-])${escaped(word)}(?![\\w-])`).test(written),
  )
}

function escaped(word: string): string {
  return word.replaceAll(/[.$*+?()[\]{}|\\^]/g, String.raw`\$&`)
}

/** Written out after `code:`, given to `failureOf`, named by a constant, or made from the kind of a reference. */
function failureCodes(): string[] {
  const codes = sourceFiles('src')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [
      ...[...text.matchAll(/\b(?:code:|\w*[cC]ode =) '([a-z]+\.[a-z_]+)'/g)].map(([, code = '']) => code),
      ...[...text.matchAll(/\bfailureOf\([\s\S]{0,300}?'([a-z]+\.[a-z_]+)',?\s*\)/g)].map(
        ([, code = '']) => code,
      ),
      ...(text.includes('`${kind}.missing`') ? ['prompt.missing', 'schema.missing'] : []),
    ])
  return [...new Set(codes)].toSorted()
}

function commandsOf(command: Commander, parents = ''): string[] {
  return command.commands.flatMap((inner) => {
    const name = `${parents}${inner.name()}`
    return [name, ...commandsOf(inner, `${name} `)]
  })
}

function flagsOf(command: Commander): string[] {
  const own = command.options.flatMap(({ long, short }) =>
    [long, short].filter((flag) => typeof flag === 'string'),
  )
  return [...own, ...command.commands.flatMap(flagsOf)]
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | false
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** Dotted keys that may be written: `worktree.copy`, `checks.<name>.command`. */
function keysOf(schema: z.ZodType): string[] {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return [...Object.values(whole.$defs ?? {}), whole].flatMap((part) => keysIn(part, ''))
}

function keysIn(schema: JsonSchema, prefix: string): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema
  return [
    ...Object.entries(properties).flatMap(([key, inner]) => [
      `${prefix}${key}`,
      ...keysIn(inner, `${prefix}${key}.`),
    ]),
    ...(additionalProperties ? keysIn(additionalProperties, `${prefix}<name>.`) : []),
    ...(items ? keysIn(items, prefix) : []),
    ...anyOf.flatMap((inner) => keysIn(inner, prefix)),
  ]
}

/** Lines of a document outside of code blocks; a blank line in place of each block. */
function proseLines(file: string): string[] {
  return read(file)
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '\n')
    .split('\n')
}

/** A table is rows without a line between them; its key is the first cell. */
function repeatedRows(file: string): string[] {
  let seen = new Set<string>()
  return proseLines(file).flatMap((line) => {
    if (!line.startsWith('|')) seen = new Set()
    const key = line.split(/(?<!\\)\|/)[1]?.trim() ?? ''
    if (!line.startsWith('|') || key === '') return []
    const again = seen.has(key)
    seen.add(key)
    return again ? [`${file}: the row ${key} stands twice in one table`] : []
  })
}

/** Merges that keep both sides leave two versions of a line, which begin or end alike. */
function repeatedParagraphs(file: string): string[] {
  const seen = new Set<string>()
  return proseLines(file).flatMap((line) => {
    const words = line.trim().split(/\s+/)
    if (line.startsWith('|') || words.length < 8) return []
    const ends = [`${words.slice(0, 8).join(' ')} ...`, `... ${words.slice(-8).join(' ')}`]
    const again = ends.filter((part) => seen.has(part))
    for (const part of ends) seen.add(part)
    return again.map((part) => `${file}: two paragraphs have the words '${part}'`)
  })
}

function markdownFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return isForeign(entry.name) ? [] : markdownFiles(join(dir, entry.name))
    return entry.name.endsWith('.md') ? [relative(root, join(dir, entry.name))] : []
  })
}

function isForeign(folder: string): boolean {
  return ['node_modules', 'dist', 'coverage', 'fixtures'].includes(folder) || folder.startsWith('.')
}

function brokenLinks(file: string): string[] {
  const prose = read(file)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(file, target))
    .map((target) => `${file}: ${target}`)
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const goal = path === '' ? file : join(dirname(file), decodeURIComponent(path))
  if (goal.startsWith('..') || !existsSync(join(root, goal))) return false
  if (anchor === undefined) return true
  return !statSync(join(root, goal)).isDirectory() && anchorsOf(goal).includes(anchor)
}

/** As forges make them of headings. */
function anchorsOf(file: string): string[] {
  const prose = read(file).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}
