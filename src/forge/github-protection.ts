import * as z from 'zod'
import type { Api } from './api.ts'
import { ForgeError, guards } from './forge.ts'
import type { Guard, Protection } from './forge.ts'

const repositorySchema = z.object({ archived: z.boolean().optional() })
const rulesSchema = z.array(z.object({ type: z.string() }))
const classicSchema = z.object({
  required_pull_request_reviews: z.unknown().optional(),
  allow_force_pushes: z.object({ enabled: z.boolean() }).optional(),
})
const branchSchema = z.object({ protected: z.boolean() })

/** Rules of rulesets, which anybody who may read can see, and what a branch has of its own, which only admins can. */
export async function githubProtection(api: Api, repository: string, branch: string): Promise<Protection> {
  const root = `/repos/${repository}`
  const name = encodeURIComponent(branch)
  const { archived } = await api.ask({ path: root, as: repositorySchema })
  if (archived === true) return { type: 'unknown', why: 'the repository is archived and takes no changes' }
  const rules = await rulesFor(api, `${root}/rules/branches/${name}?per_page=100`)
  const byRules = guardsOfRules(rules)
  if (byRules.size === guards.length) return { type: 'protected' }
  const classic = await classicFor(api, `${root}/branches/${name}/protection`)
  if (classic !== 'hidden') return judged(new Set([...byRules, ...classic]))
  const found = await api.find({ path: `${root}/branches/${name}`, as: branchSchema })
  if (found === undefined) return { type: 'unknown', why: `there is no branch '${branch}' there yet` }
  // Rules make a branch count as protected too, so that the word alone does not tell.
  if (!found.protected) return judged(byRules)
  return { type: 'unknown', why: 'the branch has a protection that only an administrator may read' }
}

function judged(found: ReadonlySet<Guard>): Protection {
  const missing = guards.filter((guard) => !found.has(guard))
  return missing.length === 0 ? { type: 'protected' } : { type: 'unprotected', missing }
}

/** Servers before rulesets do not know the question. */
async function rulesFor(api: Api, path: string): Promise<readonly string[]> {
  try {
    return (await api.list({ path, as: rulesSchema })).map(({ type }) => type)
  } catch (error) {
    if (error instanceof ForgeError && error.problem === 'missing') return []
    throw error
  }
}

function guardsOfRules(rules: readonly string[]): Set<Guard> {
  return new Set([
    ...(rules.includes('pull_request') ? (['pull_request'] as const) : []),
    ...(rules.includes('non_fast_forward') ? (['force_push'] as const) : []),
  ])
}

/** "Branch not protected" is an answer; a plain 404 or 403 says that the token may not ask. */
async function classicFor(api: Api, path: string): Promise<Set<Guard> | 'hidden'> {
  try {
    const classic = await api.ask({ path, as: classicSchema })
    return new Set([
      ...((classic.required_pull_request_reviews ?? undefined) === undefined
        ? []
        : (['pull_request'] as const)),
      ...(classic.allow_force_pushes?.enabled === true ? [] : (['force_push'] as const)),
    ])
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    if (/branch not protected/i.test(error.message)) return new Set()
    if (error.problem === 'missing' || error.problem === 'forbidden') return 'hidden'
    throw error
  }
}
