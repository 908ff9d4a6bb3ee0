import type { RouteFile, StepFile } from '../model/step-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import type { Path } from './problems.ts'

/** A workflow file's steps, each with its place: the list it stands in, and where that is written. */
export interface Outline {
  readonly file: WorkflowFile
  /** The top list first, then the lists inside steps, then the fragments with theirs. */
  readonly lists: readonly StepList[]
  readonly steps: readonly StepPlace[]
  readonly ids: ReadonlySet<string>
}

interface StepList {
  readonly path: Path
  /** Name of the fragment that it is; undefined for the top list and for lists inside a step. */
  readonly fragment?: string
  /** Its steps run for items of a list, so they may `continue`. */
  readonly inEach: boolean
  readonly steps: readonly StepPlace[]
}

export interface StepPlace {
  readonly step: StepFile
  readonly path: Path
  readonly index: number
  readonly list: StepList
}

export interface RoutePlace {
  readonly label: string
  readonly route: RouteFile
  readonly path: Path
}

export function outlineOf(file: WorkflowFile): Outline {
  const fragments = Object.entries(file.fragments ?? {})
  const eachFragments = new Set(
    [file.steps, ...fragments.map(([, steps]) => steps)]
      .flatMap(everyStep)
      .flatMap(({ steps }) => (typeof steps === 'string' ? [steps] : [])),
  )
  const lists = [
    ...listsFrom(file.steps, { path: ['steps'], inEach: false }),
    ...fragments.flatMap(([fragment, steps]) =>
      listsFrom(steps, { path: ['fragments', fragment], fragment, inEach: eachFragments.has(fragment) }),
    ),
  ]
  const steps = lists.flatMap((list) => list.steps)
  return { file, lists, steps, ids: new Set(steps.map(({ step }) => step.id)) }
}

/** A fragment may be called for an item; who calls it is not looked at. */
export function hasItem({ path, list }: StepPlace): boolean {
  return list.inEach || path[0] === 'fragments'
}

/** The routes of a step, those of `defaults` that it does not replace included. */
export function routesOf({ file }: Outline, { step, path }: StepPlace): RoutePlace[] {
  const own = placed(step.on, [...path, 'on'])
  const inherited = placed(file.defaults?.on, ['defaults', 'on']).filter(
    ({ label }) => !Object.hasOwn(step.on ?? {}, label),
  )
  return [...own, ...inherited]
}

function placed(routes: Readonly<Record<string, RouteFile>> | undefined, path: Path): RoutePlace[] {
  return Object.entries(routes ?? {}).map(([label, route]) => ({ label, route, path: [...path, label] }))
}

function listsFrom(steps: readonly StepFile[], about: Omit<StepList, 'steps'>): StepList[] {
  const places: StepPlace[] = []
  const list: StepList = { ...about, steps: places }
  places.push(...steps.map((step, index) => ({ step, path: [...about.path, index], index, list })))
  const inner = places.flatMap(({ step, path }) =>
    Array.isArray(step.steps) ? listsFrom(step.steps, { path: [...path, 'steps'], inEach: true }) : [],
  )
  return [list, ...inner]
}

function everyStep(steps: readonly StepFile[]): StepFile[] {
  return steps.flatMap((step) => [step, ...(Array.isArray(step.steps) ? everyStep(step.steps) : [])])
}
