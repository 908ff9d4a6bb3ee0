import type { CommandProvider } from '../model/command-provider.ts'
import { parseDuration } from '../model/duration.ts'
import type { Settings } from '../model/settings.ts'
import { parseSize } from '../model/size.ts'
import type { Limits } from '../model/walls.ts'

const defaultCheckMs = 10 * 60_000

export function worktreeOf(values: Record<string, unknown>): Settings['worktree'] {
  const lists = values as Record<string, string[]>
  return {
    copy: lists['worktree.copy'] ?? [],
    link: lists['worktree.link'] ?? [],
    setup: (values['worktree.setup'] ?? []) as [string, ...string[]][],
    setupTimeoutMs: parseDuration(String(values['worktree.setup_timeout'])) ?? defaultCheckMs,
    setupNetwork: lists['worktree.setup_network'] ?? [],
    ports: lists['worktree.ports'] ?? [],
  }
}

/** All three have a default, and were read through the schema. */
export function limitsOf(values: Record<string, unknown>): Limits {
  return {
    memoryBytes: parseSize(String(values['limits.memory'])) ?? 0,
    processes: Number(values['limits.processes']),
    fileBytes: parseSize(String(values['limits.file_size'])) ?? 0,
  }
}

export function providersOf(values: Record<string, unknown>): Settings['providers'] {
  const prefix = 'providers.'
  const named = Object.entries(values).filter(([key]) => key.startsWith(prefix))
  return Object.fromEntries(named.map(([key, value]) => [key.slice(prefix.length), value as CommandProvider]))
}
