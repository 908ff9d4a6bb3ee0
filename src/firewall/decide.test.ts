import { describe, expect, test } from 'vitest'
import { mustAllow } from '../../test/support/firewall/must-allow.ts'
import { mustDeny } from '../../test/support/firewall/must-deny.ts'
import { decide } from './decide.ts'
import { rulesForRole } from './rules-for-role.ts'

const worktree = '/srv/.worktrees/7-thing'
const developer = rulesForRole({
  role: { name: 'builder', capabilities: ['read', 'edit', 'shell', 'commit'], mayWrite: ['**'] },
  worktree,
})

const shell = (command: string) => decide(developer, { kind: 'shell', name: 'Bash', command })

describe('R001-78, R001-79, R001-80, R001-82: the policy table, for a role that edits, runs and commits', () => {
  test.each(Object.entries(mustDeny))('denies what %s', (_, commands) => {
    const wrong = commands.filter((command) => shell(command).allow)
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(mustAllow))('allows %s', (_, commands) => {
    const wrong = commands
      .map((command) => ({ command, ...shell(command) }))
      .filter(({ allow }) => !allow)
      .map(({ command, reason }) => `${command} => ${reason}`)
    expect(wrong).toEqual([])
  })

  test('has at least 200 that are denied and 100 that are allowed', () => {
    expect(Object.values(mustDeny).flat().length).toBeGreaterThanOrEqual(200)
    expect(Object.values(mustAllow).flat().length).toBeGreaterThanOrEqual(100)
  })

  test('R001-81: says "Permission denied" and why, each time', () => {
    for (const command of Object.values(mustDeny).flat()) {
      const { reason, rule } = shell(command)
      expect(reason).toMatch(/^Permission denied: .{10,}/)
      expect(rule).toMatch(/^\w+:[\w-]+/)
    }
  })
})
