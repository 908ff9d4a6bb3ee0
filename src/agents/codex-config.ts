import type { AgentRequest } from '../model/agent.ts'
import { quoted } from './hook-script.ts'
import type { HookFiles } from './hook-script.ts'

export interface CodexSetup {
  readonly request: AgentRequest
  readonly hook: HookFiles
  /** Said to the model before the prompt; may be empty. */
  readonly instructions: string
  /** Absent with a shared login: then the tool knows its service itself. */
  readonly url?: string
}

const hookSeconds = 30

/** The home's config.toml: nothing leaves but to the service, nothing of the repository is obeyed. */
export function codexConfig({ request, hook, instructions, url }: CodexSetup): string {
  const { worktree, capabilities } = request
  const web = capabilities.includes('web_search') ? 'live' : 'disabled'
  return `${url === undefined ? '' : 'model_provider = "baton"\n'}approval_policy = "never"
check_for_update_on_startup = false
project_doc_max_bytes = 0
web_search = ${text(web)}
${instructions === '' ? '' : `developer_instructions = ${text(instructions)}\n`}
[analytics]
enabled = false

[agents]
enabled = ${capabilities.includes('investigate')}

[features]
plugins = false
goals = false
unified_exec_tty = false
unbounded_connection_retries = false

[skills]
include_instructions = false

[skills.bundled]
enabled = false

[shell_environment_policy]
inherit = "core"

[projects.${text(worktree)}]
trust_level = "untrusted"
${url === undefined ? '' : providerTable(url)}${hookTables(hook)}`
}

function providerTable(url: string): string {
  return `
[model_providers.baton]
name = "baton"
base_url = ${text(url)}
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2
`
}

function hookTables({ ask, start }: HookFiles): string {
  const table = (event: string, matcher: string, command: string) => `
[[hooks.${event}]]
${matcher}[[hooks.${event}.hooks]]
type = "command"
command = ${text(quoted(command))}
timeout = ${hookSeconds}
`
  return table('SessionStart', '', start) + table('PreToolUse', 'matcher = "*"\n', ask)
}

/** A basic string of TOML has JSON's escapes, but wants one for DEL as well. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`)
}
