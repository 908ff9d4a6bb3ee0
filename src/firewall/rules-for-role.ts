import type { Capability } from '../model/workflow.ts'
import type { Rules } from './rules.ts'

interface RoleInPlace {
  readonly role: {
    readonly name: string
    readonly capabilities: readonly Capability[]
    readonly mayWrite: readonly string[]
  }
  readonly worktree: string
}

type Given = Partial<Pick<Rules, 'places' | 'user' | 'project' | 'merging'>>

/** The built-in rule set of a role follows from its capabilities: what it may do is said once, in the workflow. */
export function rulesForRole({ role, worktree }: RoleInPlace, given: Given = {}): Rules {
  const can = (capability: Capability): boolean => role.capabilities.includes(capability)
  return {
    ...{ role: role.name, set: setOf(can), worktree, mayWrite: role.mayWrite },
    ...{ shell: can('shell') || can('investigate'), web: can('web_search'), merge: can('merge') },
    ...{ merging: false, places: [], user: [], project: [], ...given },
  }
}

function setOf(can: (capability: Capability) => boolean): Rules['set'] {
  if (!can('edit')) return 'read-only'
  return can('commit') ? 'full' : 'edit'
}
