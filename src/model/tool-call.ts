/** What an agent wants to do, in words that are the same for every provider. The firewall decides on these. */
export type ToolCall = { readonly name: string } & (
  | { readonly kind: 'shell'; readonly command: string; readonly cwd?: string }
  | { readonly kind: 'write'; readonly paths: readonly string[] }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'web'; readonly url?: string }
  | { readonly kind: 'agent' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  /** A tool that the provider's dialect does not know: denied, unless a rule names it. */
  | { readonly kind: 'other' }
)

export interface Decision {
  readonly allow: boolean
  /** Which rule decided, as `set:rule`. */
  readonly rule: string
  /** For the model and for the person. Begins with "Permission denied" when it denies. */
  readonly reason: string
}

/** How a provider's tool asks before a tool call, and how it wants to be answered. */
export interface HookDialect {
  /** Undefined for what is no question about a tool, such as a start of a session: that is only noticed. */
  read(raw: string): ToolCall | undefined
  answer(decision: Decision): HookAnswer
}

interface HookAnswer {
  readonly stdout: string
  /** 0, or 2 for a denial; nothing else is passed on. */
  readonly code: number
}

const deniedWords = 'Permission denied'

export function allowed(rule: string): Decision {
  return { allow: true, rule, reason: '' }
}

export function denied(rule: string, why: string): Decision {
  return { allow: false, rule, reason: `${deniedWords}: ${why}` }
}
