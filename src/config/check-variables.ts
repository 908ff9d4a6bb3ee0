import { runVariables, stepVariables } from '../model/built-in-names.ts'
import { variablesOf } from '../model/template.ts'
import { placeOf } from './file-places.ts'
import { writeInstead } from './nearest.ts'
import { hasItem } from './outline.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding, Path } from './problems.ts'

/** Every `{name}` in a workflow must stand for something, and is looked up before anything runs. */
export function checkVariables(outline: Outline): Finding[] {
  const { file } = outline
  const before = [...Object.keys(file.inputs ?? {}), ...Object.keys(file.paths ?? {}), ...runVariables]
  const names = namesOf(outline)
  return [
    ...pathFindings(outline),
    ...textFindings(file.policy?.branch, ['policy', 'branch'], {
      file,
      names: without(before, ['branch', 'worktree']),
    }),
    ...textFindings(file.policy?.worktree, ['policy', 'worktree'], {
      file,
      names: without(before, ['worktree']),
    }),
    ...textFindings(file.budget, ['budget'], { file, names: before }),
    ...sectionFindings({ section: file, path: [], keys: [...spoken, 'supervision'] }, { file, names }),
    ...sectionFindings(
      { section: file.defaults ?? {}, path: ['defaults'], keys: templated },
      { file, names },
    ),
    ...Object.entries(file.roles ?? {}).flatMap(([name, role]) =>
      textFindings(role.may_write, ['roles', name, 'may_write'], { file, names }),
    ),
    ...outline.steps.flatMap((place) => stepFindings(place, { file, names })),
  ]
}

interface Scope {
  readonly file: Outline['file']
  readonly names: readonly string[]
  /** Paths that are not known yet where the text stands. */
  readonly later?: readonly string[]
}

const spoken = ['says', 'emits']

/** The keys of a step whose texts are templates. */
const templated = [
  ...spoken,
  ...['writes', 'with', 'gates', 'may_write', 'ask', 'on', 'attempts', 'only', 'each', 'budget', 'sets'],
]

interface Section {
  readonly section: object
  readonly path: Path
  readonly keys: readonly string[]
}

function sectionFindings({ section, path, keys }: Section, scope: Scope): Finding[] {
  return keys.flatMap((key) => textFindings((section as Record<string, unknown>)[key], [...path, key], scope))
}

/** There is an item only inside a list; a step that goes through one speaks for its items. */
function stepFindings(place: StepPlace, { file, names }: Scope): Finding[] {
  const { step, path } = place
  const scope = { file, names: hasItem(place) ? names : without(names, ['item']) }
  const silent = templated.filter((key) => !spoken.includes(key))
  return [
    ...sectionFindings(
      { section: step, path, keys: spoken },
      step.each === undefined ? scope : { file, names },
    ),
    ...sectionFindings({ section: step, path, keys: silent }, scope),
    ...keyFindings(step.with, [...path, 'with'], scope),
    ...conditionFindings(step.when, [...path, 'when'], scope),
  ]
}

export function namesOf(outline: Outline): string[] {
  return [...new Set([...writtenNames(outline), ...runVariables, ...stepVariables])]
}

/** What the file itself has given a name. */
export function writtenNames({ file, ids }: Outline): string[] {
  return [...Object.keys(file.inputs ?? {}), ...Object.keys(file.paths ?? {}), ...ids]
}

/** A path may use the inputs, the run's own names and the paths written before it. */
function pathFindings({ file }: Outline): Finding[] {
  const paths = Object.entries(file.paths ?? {})
  return paths.flatMap(([name, template], index) => {
    const earlier = paths.slice(0, index).map(([other]) => other)
    const names = [...earlier, ...Object.keys(file.inputs ?? {}), ...runVariables]
    const later = paths.slice(index).map(([other]) => other)
    return textFindings(template, ['paths', name], { file, names, later })
  })
}

function conditionFindings(when: object | undefined, path: Path, { names }: Scope): Finding[] {
  return Object.keys(when ?? {}).flatMap((name) => {
    const root = name.split('.')[0] ?? ''
    if (names.includes(root)) return []
    const message = `'when' asks for '${name}', which is neither an input nor a step`
    return [{ path: [...path, name], atKey: true, message, fix: writeInstead(root, names) }]
  })
}

function textFindings(value: unknown, path: Path, scope: Scope): Finding[] {
  if (typeof value === 'string') {
    return unknownIn(value, scope.names).map((variable) => ({
      path,
      within: `{${variable}}`,
      ...unknownWords(variable, placeOf(path, scope.file), scope),
    }))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    textFindings(part, [...path, Array.isArray(value) ? Number(key) : key], scope),
  )
}

/** What an agent is handed may be called by what is only known in the run. */
function keyFindings(given: object | undefined, path: Path, scope: Scope): Finding[] {
  return Object.keys(given ?? {}).flatMap((key) =>
    unknownIn(key, scope.names).map((variable) => ({
      ...{ path: [...path, key], atKey: true },
      ...unknownWords(variable, placeOf(path, scope.file), scope),
    })),
  )
}

function unknownIn(text: string, names: readonly string[]): string[] {
  return [...new Set(variablesOf(text))].filter((variable) => !names.includes(variable.split('.')[0] ?? ''))
}

function unknownWords(variable: string, place: string, scope: Scope): Pick<Finding, 'message' | 'fix'> {
  const [root = ''] = variable.split('.')
  if (root === 'item')
    return { message: `there is no '{item}' outside 'each'${place}`, fix: `remove '{${variable}}'` }
  if (scope.later?.includes(root)) {
    return { message: `'{${root}}' is used before it is written${place}`, fix: `write '${root}' above it` }
  }
  return { message: `unknown variable '{${variable}}'${place}`, fix: instead(variable, scope.names) }
}

export function instead(variable: string, names: readonly string[]): string {
  const [root = '', ...rest] = variable.split('.')
  return writeInstead(root, names, (name) => `'{${[name, ...rest].join('.')}}'`)
}

function without(names: readonly string[], left: readonly string[]): string[] {
  return names.filter((name) => !left.includes(name))
}
