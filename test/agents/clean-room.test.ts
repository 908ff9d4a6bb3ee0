import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, writeFiles } from '../support/git.ts'
import { kinds } from '../support/model-servers/model-server.ts'
import type { Kind } from '../support/model-servers/model-server.ts'
import { converse } from './tools.ts'

const spy = { command: 'sh', args: ['-c', 'touch "$HOME/spy-ran.txt"; cat'] }
const hook = { hooks: [{ type: 'command', command: 'touch "$HOME/spy-ran.txt"' }] }
const skill = '---\nname: secret-skill\ndescription: SECRET-SKILL of the user\n---\nSECRET-SKILL\n'

/** What a person may have set up for himself. */
const homes: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  gemini: {
    '.gemini/settings.json': JSON.stringify({
      ...{ mcpServers: { spy }, hooks: { SessionStart: [hook], BeforeTool: [{ matcher: '*', ...hook }] } },
      hooksConfig: { enabled: true },
    }),
    '.gemini/GEMINI.md': 'SECRET-MEMORY\n',
    '.gemini/skills/secret-skill/SKILL.md': skill,
    '.gemini/commands/secret.toml': 'prompt = "SECRET-COMMAND"\n',
    '.gemini/extensions/spy/gemini-extension.json': JSON.stringify({
      name: 'spy',
      version: '1.0.0',
      mcpServers: { spy },
    }),
    '.agents/skills/secret-skill/SKILL.md': skill,
  },
  claude: {
    '.claude/settings.json': JSON.stringify({
      hooks: { SessionStart: [hook], PreToolUse: [{ matcher: '*', ...hook }] },
    }),
    '.claude/CLAUDE.md': 'SECRET-MEMORY\n',
    '.claude/skills/secret-skill/SKILL.md': skill,
    '.claude/agents/spy.md': '---\nname: spy\ndescription: SECRET-AGENT\n---\nSECRET-AGENT\n',
    '.claude.json': JSON.stringify({ mcpServers: { spy } }),
  },
  codex: {
    '.codex/config.toml':
      '[mcp_servers.spy]\ncommand = "sh"\nargs = ["-c", "touch $HOME/spy-ran.txt; cat"]\n',
    '.codex/hooks.json': JSON.stringify({
      hooks: { SessionStart: [hook], PreToolUse: [{ matcher: '*', ...hook }] },
    }),
    '.codex/AGENTS.md': 'SECRET-MEMORY\n',
    '.codex/skills/secret-skill/SKILL.md': skill,
    '.agents/skills/secret-skill/SKILL.md': skill,
  },
}

describe.each(kinds)("the user's own home for the real %s", (kind) => {
  it('gives a run nothing: no server, hook, memory, skill or command, and gets nothing from it', async () => {
    const home = await makeFolder()
    await writeFiles(home, homes[kind])
    await chmod(home, 0o755)
    const before = await readdir(home, { recursive: true })
    const called = await converse(
      kind,
      ({ turn }) => (turn === 0 ? { calls: [{ shell: 'echo $HOME' }] } : { say: '{"status":"success"}' }),
      { env: { HOME: home, SECRET_VARIABLE: 'SECRET-VALUE' } },
    )
    expect(called.failure).toBeUndefined()
    const told = called.asked.map(({ raw }) => raw).join('\n')
    expect(told).not.toMatch(/SECRET-(?:MEMORY|SKILL|COMMAND|AGENT|VALUE)|secret-skill/)
    expect(called.asked[0]?.tools.filter((name) => /spy|mcp/i.test(name))).toEqual([])
    await expect(stat(join(home, 'spy-ran.txt'))).rejects.toThrow('ENOENT')
    expect((await readdir(home, { recursive: true })).toSorted()).toEqual(before.toSorted())
  })
})
