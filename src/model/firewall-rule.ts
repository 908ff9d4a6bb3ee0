import * as z from 'zod'

/** Rules that people write: one line each, the last that fits decides within its set. */
export interface OwnRule {
  readonly effect: 'allow' | 'deny'
  readonly on: (typeof subjects)[number]
  /** Words for `shell`, a write scope for files, a host for `web`, `server/tool` for `mcp`, a name for `tool`. */
  readonly pattern: string
  /** Roles that it is for; all when there are none. */
  readonly roles: readonly string[]
  readonly because?: string
  /** Where it stands, for people: `user:2`. */
  readonly id: string
}

const subjects = ['shell', 'write', 'read', 'web', 'mcp', 'tool', 'agent'] as const

const text = z.string().min(1)

const subject = z
  .strictObject({
    shell: text.optional(),
    write: text.optional(),
    read: text.optional(),
    web: text.optional(),
    mcp: text.optional(),
    tool: text.optional(),
    agent: z.literal(true).optional(),
  })
  .refine((value) => Object.keys(value).length === 1, { message: `one of ${subjects.join(', ')}` })

const rule = z
  .strictObject({
    allow: subject.optional(),
    deny: subject.optional(),
    roles: z.array(text).optional(),
    because: text.optional(),
  })
  .refine(({ allow, deny }) => (allow === undefined) !== (deny === undefined), {
    message: 'either allow or deny',
  })

/** `firewall` in a settings file. */
export const firewallRulesSchema = z.array(rule)

type RuleFile = z.infer<typeof rule>

/** The rules of one file, numbered as they stand in it. */
export function ownRules(set: 'user' | 'project', rules: readonly RuleFile[]): OwnRule[] {
  return rules.map(({ allow, deny, roles = [], because }, at) => {
    const [on = 'tool', pattern] = Object.entries(allow ?? deny ?? {})[0] ?? []
    return {
      ...{ effect: allow ? 'allow' : 'deny', on: on as OwnRule['on'], roles, id: `${set}:${at + 1}` },
      pattern: pattern === true ? '**' : (pattern ?? ''),
      ...(because === undefined ? {} : { because }),
    }
  })
}
