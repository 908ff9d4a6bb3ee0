import type { Path } from './problems.ts'

/** How a place in a workflow or settings file is called when people are told about it. */

/** ` in step 'plan'`, ` in 'on.revise' of step 'plan'`; empty for the file itself. */
export function placeOf(path: Path, root: unknown): string {
  return path.length === 0 ? '' : ` in ${subjectOf(path, root)}`
}

/** `step 'plan'`, `'on.revise' of step 'plan'`, `'defaults'`. */
export function subjectOf(path: Path, root: unknown): string {
  const { owner, rest } = ownerOf(path, root)
  const inside = rest.length === 0 ? undefined : `'${rest.join('.')}'`
  if (inside === undefined) return owner ?? 'the file'
  return owner === undefined ? inside : `${inside} of ${owner}`
}

export function lookAt(root: unknown, path: Path): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}

const owners: Readonly<Record<string, string>> = {
  roles: 'role',
  inputs: 'input',
  modes: 'mode',
  fragments: 'fragment',
  checks: 'check',
}

function ownerOf(path: Path, root: unknown): { owner?: string; rest: Path } {
  const stepAt = path.findLastIndex(
    (part, index) => typeof part === 'number' && isStepList(path.slice(0, index)),
  )
  if (stepAt !== -1) return { owner: stepName(path.slice(0, stepAt + 1), root), rest: path.slice(stepAt + 1) }
  const [section, name] = path
  const kind = owners[String(section)]
  if (kind === undefined || name === undefined) return { rest: path }
  return { owner: `${kind} '${name}'`, rest: path.slice(2) }
}

function isStepList(path: Path): boolean {
  return path.at(-1) === 'steps' || (path.length === 2 && path[0] === 'fragments')
}

function stepName(path: Path, root: unknown): string {
  const id = lookAt(root, [...path, 'id'])
  return typeof id === 'string' ? `step '${id}'` : `step ${Number(path.at(-1)) + 1}`
}
