import { isJsonObject, textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { countTests } from './count-tests.ts'
import type { BranchChange, ChangedFile, TestingFacts } from './gate.ts'
import { languageOf } from './test-languages.ts'

/** Files that do nothing but say how the tests are run. */
const wholeFiles =
  /(?:^|\/)(?:pytest\.ini|tox\.ini|\.rspec|phpunit\.xml(?:\.dist)?|\.mocharc\.\w+|mocha\.opts|(?:jest|vitest|karma|ava|playwright|cypress)\.(?:config|conf|workspace)\.\w+)$|^\.baton\/config\.yaml$/

/** Files that say so in a part of them. */
const parts: Readonly<Record<string, (text: string) => string>> = {
  'package.json': (text) => packageTests(text),
  Makefile: (text) => makeTests(text),
  makefile: (text) => makeTests(text),
  'pyproject.toml': (text) => tables(text, /^\[tool\.(?:pytest|tox|coverage)\b/),
  'setup.cfg': (text) => tables(text, /^\[(?:tool:pytest|aliases)\]/),
  'Cargo.toml': (text) => tables(text, /^\[(?:lib|\[test\]|\[bin\]|profile\.test)\b/),
}

export function saysHowToTest(path: string): boolean {
  return wholeFiles.test(path) || partOf(path) !== undefined
}

/** Files in which the way the tests are run is another than before, each once. */
export function changedTestCommand(testing: TestingFacts, branch: readonly BranchChange[]): string[] {
  const configuration = testing.files.filter(({ path }) => saysHowToTest(path)).filter(isDifferent)
  const run = new Set(testing.command.map((word) => word.replace(/^\.\//, '')))
  const scripts = branch.filter(
    ({ path, from = path, change }) =>
      change !== 'added' && run.has(from) && !saysHowToTest(path) && !holdsTests(testing, from),
  )
  return [...new Set([...configuration, ...scripts].map(({ path }) => path))]
}

function isDifferent({ path, before = '', after = '' }: ChangedFile): boolean {
  const part = partOf(path)
  return part ? part(before) !== '' && part(before) !== part(after) : before !== after
}

function partOf(path: string): ((text: string) => string) | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return Object.hasOwn(parts, name) ? parts[name] : undefined
}

/** Its cases are counted one by one; a file that only runs others is a part of the command. */
function holdsTests({ files }: TestingFacts, path: string): boolean {
  const language = languageOf(path)
  const before = files.find((file) => (file.from ?? file.path) === path)?.before
  if (!language || before === undefined) return false
  const { cases, assertions } = countTests(before, language)
  return cases + assertions > 0
}

/** Files at the top of a project whose commands `npm test` or `make test` run. */
export const commandFiles = ['package.json', 'Makefile', 'makefile'] as const

export function commandWords(path: string, text: string): string[] {
  return (partOf(path)?.(text) ?? '').split(/[\s"';&|()]+/).filter((word) => word !== '')
}

/** The script `test`, those it runs by name, and the settings of test runners. */
function packageTests(text: string): string {
  const file = parsed(text)
  const scripts = isJsonObject(file['scripts']) ? file['scripts'] : {}
  const test = scripts['test']
  // The line that `npm init` writes is a placeholder, not a test.
  const isReal = typeof test === 'string' && !test.includes('no test specified')
  const used = isReal ? scriptsFrom(scripts, ['pretest', 'test', 'posttest']) : []
  const runners = ['jest', 'vitest', 'mocha', 'ava', 'nyc', 'c8', 'tap'].filter((name) => name in file)
  return [
    ...used.map((name) => `${name}: ${textOf(scripts[name])}`),
    ...runners.map((name) => `${name}: ${JSON.stringify(file[name])}`),
  ].join('\n')
}

function scriptsFrom(scripts: JsonObject, names: readonly string[]): string[] {
  const found = new Set<string>()
  const waiting = names.filter((name) => typeof scripts[name] === 'string')
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    found.add(name)
    const words = textOf(scripts[name]).split(/[\s"';&|()]+/)
    waiting.push(...words.filter((word) => Object.hasOwn(scripts, word)))
  }
  return [...found].toSorted()
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    // What is no JSON tells nothing; the project's own tools will complain about it.
    return {}
  }
}

/** The rule `test` with its recipe. */
function makeTests(text: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => /^test\s*:/.test(line))
  if (start === -1) return ''
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => !/^(?:\t|\s*$)/.test(line))
  const recipe = rest.slice(0, end === -1 ? undefined : end)
  return [lines[start] ?? '', ...recipe]
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

/** The tables of a settings file whose heading fits, with what stands in them. */
function tables(text: string, heading: RegExp): string {
  const kept: string[] = []
  let inside = false
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) inside = heading.test(line)
    if (inside && line !== '') kept.push(line)
  }
  return kept.join('\n')
}
