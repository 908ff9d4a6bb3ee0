import { describe, expect, test } from 'vitest'
import type { OwnRule } from '../model/firewall-rule.ts'
import type { ToolCall } from '../model/tool-call.ts'
import type { Capability } from '../model/workflow.ts'
import { decide } from './decide.ts'
import { rulesForRole } from './rules-for-role.ts'
import type { Rules } from './rules.ts'

const worktree = '/srv/.worktrees/7-thing'

function role(capabilities: readonly Capability[], mayWrite: readonly string[], given = {}): Rules {
  return rulesForRole({ role: { name: 'somebody', capabilities, mayWrite }, worktree }, given)
}

function verdict(rules: Rules, call: ToolCall): string {
  const { allow, rule } = decide(rules, call)
  return allow ? 'allowed' : rule
}

const run = (rules: Rules, command: string) => verdict(rules, { kind: 'shell', name: 'Bash', command })
const write = (rules: Rules, ...paths: string[]) => verdict(rules, { kind: 'write', name: 'Write', paths })
const read = (rules: Rules, ...paths: string[]) => verdict(rules, { kind: 'read', name: 'Read', paths })

const reader = role(['read'], ['docs/plans/'])
const auditor = role(['read', 'shell'], ['docs/reviews/'])
const editor = role(['read', 'edit', 'shell'], ['**'])
const developer = role(['read', 'edit', 'shell', 'commit'], ['**'])
const integrator = role(['read', 'edit', 'shell', 'commit', 'merge'], ['**'])

describe('the built-in rule sets follow from the capabilities of a role', () => {
  test('read-only without a shell: it looks through the shell, and runs nothing', () => {
    expect(reader.set).toBe('read-only')
    for (const command of [
      'cat a',
      'ls -la',
      'git log -3',
      'rg x | head',
      'sed -n 1,5p a',
      'find . -name x',
    ]) {
      expect(run(reader, command)).toBe('allowed')
    }
    for (const command of ['npm test', 'python3 x.py', 'make', './x.sh'])
      expect(run(reader, command)).toBe('role:shell')
    expect(run(reader, 'touch a')).toBe('role:shell')
    expect(run(reader, 'sed -i s/a/b/ src/a')).toBe('write:scope')
    expect(run(reader, 'git add a')).toBe('git:add')
    expect(run(reader, 'git commit -m x')).toBe('git:commit')
  })

  test('read-only with a shell: it runs tests, and neither edits nor commits', () => {
    expect(auditor.set).toBe('read-only')
    expect(run(auditor, 'npm test > /tmp/out 2>&1')).toBe('allowed')
    expect(run(auditor, 'npm test > out.txt')).toBe('write:scope')
    expect(run(auditor, 'echo x > docs/reviews/a.md')).toBe('allowed')
    expect(run(auditor, 'rm src/a.ts')).toBe('write:scope')
    expect(run(auditor, 'find . -name x -delete')).toBe('write:unknown')
    expect(run(auditor, 'git commit -am x')).toBe('git:commit')
  })

  test('edit: it writes files, and the engine commits (C-68)', () => {
    expect(editor.set).toBe('edit')
    expect(run(editor, 'rm src/a.ts')).toBe('allowed')
    expect(run(editor, 'git add .')).toBe('git:add')
    expect(decide(editor, { kind: 'shell', name: 'Bash', command: 'git commit -m x' }).reason).toContain(
      'engine commits',
    )
  })

  test('full: it commits', () => {
    expect(developer.set).toBe('full')
    expect(run(developer, 'git add -A && git commit -m x')).toBe('allowed')
  })
})

describe('R001-82, C-16: who settles conflicts is given more, while a merge is under way', () => {
  const granted = [
    'git checkout --ours -- src/a.ts',
    'git checkout --theirs src/a.ts',
    'git restore --ours -- src/a.ts',
    'git restore --theirs src/a.ts',
    'git merge --continue',
    'git merge --abort',
    'git add . && GIT_EDITOR=true git merge --continue',
  ]
  const never = [
    'git checkout main',
    'git checkout --ours main -b x',
    'git checkout -- src/a.ts',
    'git checkout',
    'git restore src/a.ts',
    'git restore --source=main --ours a',
    'git merge main',
    'git merge --continue main',
    'git merge',
    'git reset --merge',
    'git checkout --ours -- ../x',
    'git checkout --ours -- .git/config',
  ]

  test.each(granted)('%s', (command) => {
    expect(run({ ...integrator, merging: true }, command)).toBe('allowed')
    expect(run(integrator, command)).toMatch(/^git:(checkout|restore|merge)$/)
    expect(run({ ...developer, merging: true }, command)).toMatch(/^git:(checkout|restore|merge)$/)
  })

  test.each(never)('never %s', (command) => {
    expect(run({ ...integrator, merging: true }, command)).toMatch(/^(git|write):/)
  })
})

describe('C-90: a role writes its own files and no others', () => {
  test('through the tools for files', () => {
    expect(write(reader, 'docs/plans/a.md')).toBe('allowed')
    expect(write(reader, `${worktree}/docs/plans/a.md`)).toBe('allowed')
    expect(write(reader, 'src/a.ts')).toBe('write:scope')
    expect(write(reader, 'docs/plans/a.md', 'src/a.ts')).toBe('write:scope')
    expect(write(reader, 'docs/plans/../../src/a.ts')).toBe('write:scope')
    expect(write(reader, '../other/docs/plans/a.md')).toBe('write:outside')
    expect(write(reader)).toBe('write:unknown')
    expect(write(role(['read'], []), 'a.md')).toBe('write:scope')
    expect(write(developer, 'src/a.ts')).toBe('allowed')
    expect(write(developer, '.git/hooks/pre-commit')).toBe('write:protected')
    expect(write(developer, 'sub/.git')).toBe('write:protected')
    expect(write(developer, '.baton/config.yaml')).toBe('write:protected')
    expect(write(developer, '/etc/hosts')).toBe('write:outside')
    expect(write(developer, '~/x')).toBe('write:outside')
  })

  test('and the reason says which they are', () => {
    const { reason } = decide(reader, { kind: 'write', name: 'Write', paths: ['src/a.ts'] })
    expect(reason).toBe(
      'Permission denied: src/a.ts is not yours to write: this role writes only docs/plans/',
    )
  })

  test('its own folders are free to write: the temporary one, and those of the call', () => {
    expect(write(developer, '/tmp/a')).toBe('allowed')
    expect(write({ ...developer, worktree: '/tmp/w/t' }, '/tmp/w/other')).toBe('write:outside')
    expect(write({ ...reader, places: ['/srv/call/home'] }, '/srv/call/home/x')).toBe('allowed')
  })
})

describe('reading', () => {
  test('is free in the worktree and in the system, and not in homes', () => {
    expect(read(reader, 'src/a.ts', '/usr/include/x.h')).toBe('allowed')
    expect(read(reader, '/root/.ssh/id_rsa')).toBe('read:private')
    expect(read(reader, '~/.netrc')).toBe('read:private')
    expect(read(reader, '/proc/self/environ')).toBe('read:private')
    expect(read({ ...reader, worktree: '/root/w/t' }, '/root/w/t/a', 'b')).toBe('allowed')
    expect(read({ ...reader, places: ['/root/run/steps'] }, '/root/run/steps/diff.patch')).toBe('allowed')
  })
})

describe('other tools', () => {
  const web = (rules: Rules, url?: string) =>
    verdict(rules, { kind: 'web', name: 'Fetch', ...(url ? { url } : {}) })

  test('the web is for roles that search it', () => {
    expect(web(reader, 'https://example.org')).toBe('web:role')
    expect(web(role(['read', 'web_search'], []), 'https://example.org')).toBe('allowed')
    expect(web(role(['read', 'web_search'], []))).toBe('allowed')
    expect(run(role(['read', 'shell', 'web_search'], []), 'curl https://example.org')).toBe('allowed')
  })

  test('agents start no agents, and unknown tools are refused', () => {
    expect(verdict(developer, { kind: 'agent', name: 'Task' })).toBe('agent:none')
    expect(verdict(developer, { kind: 'mcp', name: 'x', server: 's', tool: 't' })).toBe('mcp:unknown')
    expect(verdict(developer, { kind: 'other', name: 'Mystery' })).toBe('tool:unknown')
  })
})

describe('rules of the user and of the project', () => {
  const rule = (id: string, effect: OwnRule['effect'], [on, pattern]: [OwnRule['on'], string]): OwnRule => ({
    ...{ id, effect, on, pattern, roles: [] },
  })

  test('the last rule of a set that fits decides', () => {
    const user = [
      rule('user:1', 'deny', ['shell', 'npm publish']),
      rule('user:2', 'allow', ['shell', 'npm publish --dry-run']),
    ]
    expect(run({ ...developer, user }, 'npm publish --tag x')).toBe('user:1')
    expect(run({ ...developer, user }, 'npm publish --dry-run')).toBe('allowed')
    expect(run({ ...developer, user: user.toReversed() }, 'npm publish --dry-run')).toBe('user:1')
  })

  test('the user may allow what the built-in rules refuse (C-15), word by word', () => {
    const user = [rule('user:1', 'allow', ['shell', 'git restore --staged *'])]
    expect(run({ ...developer, user }, 'git restore --staged src/a.ts')).toBe('allowed')
    expect(run({ ...developer, user }, 'git restore src/a.ts')).toBe('git:restore')
    expect(run({ ...developer, user }, 'git restore --staged a; git push')).toBe('git:push')
    expect(run({ ...reader, user: [rule('user:1', 'allow', ['shell', 'npm test'])] }, 'npm test')).toBe(
      'allowed',
    )
    expect(run({ ...reader, user: [rule('user:1', 'allow', ['shell', 'npm test'])] }, 'npm test -- x')).toBe(
      'role:shell',
    )
  })

  test('a project can only tighten', () => {
    const project = [
      rule('project:1', 'allow', ['shell', 'git push']),
      rule('project:2', 'deny', ['write', 'infra/**']),
    ]
    expect(run({ ...developer, project }, 'git push')).toBe('git:push')
    expect(write({ ...developer, project }, 'infra/main.tf')).toBe('project:2')
    expect(run({ ...developer, project }, 'echo x > infra/main.tf')).toBe('project:2')
    const user = [rule('user:1', 'allow', ['write', 'infra/**'])]
    expect(write({ ...developer, project, user }, 'infra/main.tf')).toBe('project:2')
  })

  test('a rule may be for some roles only', () => {
    const user = [{ ...rule('user:1', 'deny', ['shell', 'make']), roles: ['another'] }]
    expect(run({ ...developer, user }, 'make')).toBe('allowed')
    expect(run({ ...developer, role: 'another', user }, 'make')).toBe('user:1')
  })

  test('hosts, servers, tools and agents have rules as well', () => {
    const user = [
      rule('user:1', 'allow', ['web', 'docs.example.org']),
      rule('user:2', 'allow', ['mcp', 'tracker/get_*']),
      rule('user:3', 'allow', ['tool', 'Mystery']),
      rule('user:4', 'allow', ['agent', '**']),
      rule('user:5', 'deny', ['read', 'secrets/']),
    ]
    const rules = { ...developer, user }
    expect(verdict(rules, { kind: 'web', name: 'F', url: 'https://docs.example.org/x' })).toBe('allowed')
    expect(verdict(rules, { kind: 'web', name: 'F', url: 'https://example.org/x' })).toBe('web:role')
    expect(verdict(rules, { kind: 'mcp', name: 'x', server: 'tracker', tool: 'get_issue' })).toBe('allowed')
    expect(verdict(rules, { kind: 'mcp', name: 'x', server: 'tracker', tool: 'set_issue' })).toBe(
      'mcp:unknown',
    )
    expect(verdict(rules, { kind: 'other', name: 'Mystery' })).toBe('allowed')
    expect(verdict(rules, { kind: 'agent', name: 'Task' })).toBe('allowed')
    expect(read(rules, 'secrets/key')).toBe('user:5')
  })

  test('what cannot be understood is denied whatever the rules say', () => {
    const user = [rule('user:1', 'allow', ['shell', '*'])]
    expect(run({ ...developer, user }, '$X push')).toBe('shell:command-name')
    expect(run({ ...developer, user }, 'echo $(')).toBe('shell:not-understood')
  })
})
