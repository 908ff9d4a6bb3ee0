import * as z from 'zod'
import { commandProviderSchema } from './command-provider.ts'
import type { CommandProvider } from './command-provider.ts'
import { isUselessLimit, parseDuration, timeLimitHint } from './duration.ts'
import { complexities, complexityWords } from './model-choice.ts'
import type { Complexity, ModelTable } from './model-choice.ts'
import type { Price } from './usage.ts'
import { firewallRulesSchema } from './firewall-rule.ts'
import type { OwnRule } from './firewall-rule.ts'
import { parseSize } from './size.ts'
import type { Limits } from './walls.ts'
import { wordList } from './word-list.ts'

/** `.baton/config.yaml`, in the project and in the user's configuration folder. */

const durationHint = 'a duration such as 90s, 30m or 2h'

/** All of them are limits. */
const duration = z
  .string(durationHint)
  .refine((value) => parseDuration(value) !== undefined, { message: durationHint })
  .refine((value) => !isUselessLimit(value), { message: timeLimitHint })

const deliveries = ['pr', 'local', 'none'] as const

/** What happens where the remote's base is not protected (C-12). */
const remoteChecks = ['warn', 'abort', 'off'] as const

const notifyMoments = ['needs_input', 'failed', 'delivered'] as const

/** Addresses and tokens are names of variables: a settings file holds no secret. */
const notifyTarget = z.strictObject({
  on: z.array(z.enum(notifyMoments)).optional(),
  command: wordList.optional(),
  bell: z.literal(true).optional(),
  webhook: z.string().optional(),
  secret: z.string().optional(),
  slack: z.string().optional(),
  discord: z.string().optional(),
  telegram: z.strictObject({ token: z.string(), chat: z.string(), api: z.string().optional() }).optional(),
})

/** Whom to tell, and of what. */
export interface NotifyTarget {
  readonly on: readonly (typeof notifyMoments)[number][]
  readonly command?: readonly [string, ...string[]]
  /** The terminal that the run was started at. */
  readonly bell?: true
  readonly webhook?: string
  readonly secret?: string
  readonly slack?: string
  readonly discord?: string
  readonly telegram?: { readonly token: string; readonly chat: string; readonly api?: string }
}

export type RemoteCheck = (typeof remoteChecks)[number]

const model = z.string().regex(/\S/, 'the name of a model')
const dollars = z.number().min(0)
const costLimit = z.number().gt(0)

const limitWord = z.literal('none')
const host = z
  .string()
  .regex(
    /^(\*\.)?[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?(:\d+)?$/,
    'a host such as registry.npmjs.org or *.example.org',
  )

export const hosts = z.array(host)

const size = z.string().refine((value) => parseSize(value) !== undefined, {
  message: 'a size such as 500MB or 8GB',
})

const check = z.strictObject({
  command: wordList,
  timeout: duration.optional(),
  optional: z.boolean().optional(),
  /** Exit codes with a word of their own, for example `5: no_tests`. */
  labels: z.record(z.string().regex(/^\d+$/), z.string()).optional(),
  /** Hosts that the command may reach from inside the walls; none if absent. */
  network: hosts.optional(),
})

export const settingsFileSchema = z.strictObject({
  $schema: z.string().optional(),
  workflow: z.string().optional(),
  provider: z.string().optional(),
  model: model.optional(),
  complexity: z.enum(Object.keys(complexityWords)).optional(),
  models: z
    .record(
      z.string(),
      z.strictObject(Object.fromEntries(complexities.map((level) => [level, model.optional()]))),
    )
    .optional(),
  prices: z
    .record(z.string(), z.strictObject({ input: dollars, cached: dollars.optional(), output: dollars }))
    .optional(),
  max_cost: z.union([costLimit, limitWord]).optional(),
  max_tokens: z.union([z.int().min(1), limitWord]).optional(),
  base: z.string().optional(),
  deliver: z.enum(deliveries).optional(),
  remote_check: z.enum(remoteChecks).optional(),
  notify: z.array(notifyTarget).optional(),
  forge: z
    .strictObject({
      kind: z.string().optional(),
      api: z.string().optional(),
      repository: z.string().optional(),
      remote: z.string().optional(),
      token_env: z.string().optional(),
      draft: z.boolean().optional(),
      labels: z.array(z.string()).optional(),
      reviewers: z.array(z.string()).optional(),
    })
    .optional(),
  time_limit: duration.optional(),
  checks: z.record(z.string(), check).optional(),
  tools: z.record(z.string(), check).optional(),
  worktree: z
    .strictObject({
      copy: z.array(z.string()).optional(),
      link: z.array(z.string()).optional(),
      setup: z.array(wordList).optional(),
      setup_timeout: duration.optional(),
      setup_network: hosts.optional(),
      ports: z.array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'a variable name such as PORT')).optional(),
    })
    .optional(),
  sandbox: z.enum(['required', 'off']).optional(),
  limits: z
    .strictObject({
      memory: size.optional(),
      processes: z.int().min(10).optional(),
      file_size: size.optional(),
    })
    .optional(),
  /** Use the tools' own logins where no key is set. */
  login: z.enum(['share', 'none']).optional(),
  providers: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]*$/, 'a name such as my-tool'), commandProviderSchema)
    .optional(),
  firewall: firewallRulesSchema.optional(),
  scripted: z.strictObject({ script: z.string().optional() }).optional(),
  http: z
    .strictObject({
      base_url: z.string().optional(),
      model: z.string().optional(),
      key_variable: z
        .string()
        .regex(/^[A-Z_][A-Z0-9_]*$/, 'a variable name such as MODEL_KEY')
        .optional(),
      remote: z.boolean().optional(),
    })
    .optional(),
})

export type SettingsFile = z.infer<typeof settingsFileSchema>

export interface CheckSetting {
  readonly command: readonly [string, ...string[]]
  readonly timeoutMs: number
  readonly optional: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly network: readonly string[]
}

/** Which forge, how it is reached, and what its pull requests are given. */
export interface ForgeSettings {
  readonly kind?: string
  readonly api?: string
  readonly repository?: string
  readonly remote: string
  readonly tokenEnv?: string
  readonly draft: boolean
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
}

export interface Settings {
  readonly workflow: string
  readonly provider?: string
  /** For all roles, and who said so. */
  readonly model?: string
  readonly modelFrom?: 'flag' | 'environment' | 'settings'
  readonly complexity?: Complexity
  /** By provider. */
  readonly models: Readonly<Record<string, ModelTable>>
  /** By model. */
  readonly prices: Readonly<Record<string, Price>>
  /** In US dollars, and in tokens in and out. Without a limit if absent. */
  readonly maxCost?: number
  readonly maxTokens?: number
  readonly base?: string
  readonly deliver?: string
  readonly remoteCheck?: RemoteCheck
  readonly forge?: ForgeSettings
  readonly notify?: readonly NotifyTarget[]
  readonly timeLimitMs?: number
  readonly checks: Readonly<Record<string, CheckSetting>>
  /** What `project-tools` runs, instead of what the project's files tell of. */
  readonly tools?: Readonly<Record<string, CheckSetting>>
  readonly worktree: {
    readonly copy: readonly string[]
    readonly link: readonly string[]
    readonly setup: readonly (readonly [string, ...string[]])[]
    readonly setupTimeoutMs: number
    readonly setupNetwork: readonly string[]
    readonly ports: readonly string[]
  }
  /** Absent: required where an agent is not scripted. */
  readonly sandbox?: 'required' | 'off'
  readonly limits: Limits
  readonly login?: 'share' | 'none'
  /** Tools that only the settings know, by name. */
  readonly providers: Readonly<Record<string, CommandProvider>>
  /** Absent where nobody has written a rule. The user's amend the built-in ones, the project's only tighten. */
  readonly firewall?: { readonly user: readonly OwnRule[]; readonly project: readonly OwnRule[] }
  readonly script?: string
  /** The server that plays roles without tools. */
  readonly http?: {
    readonly baseUrl?: string
    readonly model?: string
    readonly keyVariable?: string
    readonly remote?: boolean
  }
}
