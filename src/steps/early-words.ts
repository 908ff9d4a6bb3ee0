import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitShim, refHook } from '../firewall/early-words.ts'
import type { Rules } from '../firewall/rules.ts'
import { filesOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'

/** Puts a `git` in front of git, and a hook into the agent's git directory. No agent lives while this is written. */
export function writeEarlyWords({ site, dir, gitDir }: AgentCall, rules: Rules): void {
  const place = { gitDir, branch: site.task.branch }
  replace(join(filesOf(dir).bin, 'git'), gitShim(rules, place))
  const hooks = join(gitDir, 'hooks')
  // An earlier call in the same git directory may have made something else of it; the walls do not rest on it.
  if (lstatSync(hooks, { throwIfNoEntry: false })?.isDirectory() !== true) return
  replace(join(hooks, 'reference-transaction'), refHook(place))
}

function replace(file: string, text: string): void {
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, text, { mode: 0o755, flag: 'wx' })
}

/** The environment of the agent, with our `git` first. */
export function withShim(
  env: Readonly<Record<string, string>>,
  { dir }: AgentCall,
): Readonly<Record<string, string>> {
  return { ...env, PATH: `${filesOf(dir).bin}:${env['PATH'] ?? '/usr/bin:/bin'}` }
}
