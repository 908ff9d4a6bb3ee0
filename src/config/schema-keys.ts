import type { z } from 'zod'
import type { Path } from './problems.ts'

/** The keys that a schema allows for the map at a path, over all branches of unions on the way. */
export function allowedKeys(schema: z.ZodType, path: Path): string[] {
  let reached = branchesOf(schema)
  for (const part of path) reached = reached.flatMap((branch) => childrenOf(branch, part).flatMap(branchesOf))
  const keys = reached.flatMap((branch) => ('shape' in branch ? Object.keys(branch.shape) : []))
  return [...new Set(keys)].filter((key) => key !== '$schema')
}

type Def = z.core.$ZodTypes['_zod']['def']

function branchesOf(schema: z.core.$ZodType): Def[] {
  const def = (schema as z.ZodType).def as Def
  switch (def.type) {
    case 'optional':
      return branchesOf(def.innerType)
    case 'lazy':
      return branchesOf(def.getter())
    case 'union':
      return def.options.flatMap(branchesOf)
    default:
      return [def]
  }
}

function childrenOf(def: Def, part: string | number): z.core.$ZodType[] {
  switch (def.type) {
    case 'object':
      return Object.hasOwn(def.shape, part) ? [def.shape[part] as z.core.$ZodType] : []
    case 'record':
      return [def.valueType]
    case 'array':
      return [def.element]
    default:
      return []
  }
}
