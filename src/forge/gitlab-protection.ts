import * as z from 'zod'
import type { Api } from './api.ts'
import { ForgeError } from './forge.ts'
import type { Guard, Protection } from './forge.ts'

const projectSchema = z.object({ archived: z.boolean().optional() })
const protectedSchema = z.array(
  z.object({
    name: z.string(),
    allow_force_push: z.boolean().optional(),
    push_access_levels: z.array(z.object({ access_level: z.number().nullish() })),
  }),
)
const branchSchema = z.object({ protected: z.boolean() })

type Rule = z.infer<typeof protectedSchema>[number]

/** Merge requests are required where nobody may push; wildcards count like the name itself. */
export async function gitlabProtection(api: Api, root: string, branch: string): Promise<Protection> {
  const { archived } = await api.ask({ path: root, as: projectSchema })
  if (archived === true) return { type: 'unknown', why: 'the project is archived and takes no changes' }
  const rules = await rulesOf(api, root)
  if (rules === 'hidden') return withoutRules(api, root, branch)
  const matching = rules.filter(({ name }) => matches(name, branch))
  if (matching.length === 0) return { type: 'unprotected', missing: ['pull_request', 'force_push'] }
  // The most permissive of several rules counts, as it does there.
  const missing: Guard[] = [
    ...(matching.every(isClosed) ? [] : (['pull_request'] as const)),
    ...(matching.some(({ allow_force_push: allowed }) => allowed === true) ? (['force_push'] as const) : []),
  ]
  return missing.length === 0 ? { type: 'protected' } : { type: 'unprotected', missing }
}

/** Level 0 is "No one". */
function isClosed({ push_access_levels: levels }: Rule): boolean {
  return levels.every(({ access_level: level }) => level === 0)
}

function matches(pattern: string, branch: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(branch)
}

async function rulesOf(api: Api, root: string): Promise<readonly Rule[] | 'hidden'> {
  try {
    return await api.list({ path: `${root}/protected_branches?per_page=100`, as: protectedSchema })
  } catch (error) {
    if (error instanceof ForgeError && ['forbidden', 'missing'].includes(error.problem)) return 'hidden'
    throw error
  }
}

async function withoutRules(api: Api, root: string, branch: string): Promise<Protection> {
  const path = `${root}/repository/branches/${encodeURIComponent(branch)}`
  const found = await api.find({ path, as: branchSchema })
  if (found === undefined) return { type: 'unknown', why: `there is no branch '${branch}' there yet` }
  if (!found.protected) return { type: 'unprotected', missing: ['pull_request', 'force_push'] }
  return { type: 'unknown', why: 'the branch has a protection that the token may not read' }
}
