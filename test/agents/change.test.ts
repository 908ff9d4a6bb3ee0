// The change workflow with the real tools: its acceptance scenarios, and the whole way on two projects.
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findExecutable } from '../../src/platform/executable.ts'
import { baton } from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { playsChange, said, startModels, writing } from '../support/change-models.ts'
import type { ChangeParts, Models } from '../support/change-models.ts'
import { documents, nodeFiles, nodeWork, pythonFiles, pythonWork } from '../support/change-project.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { linesOf } from '../support/run.ts'
import { binFolder } from './install.mjs'
import { toolPath } from './tools.ts'

// Whole runs, on machines that may be slow.
vi.setConfig({ testTimeout: 600_000 })

const nodeParts: ChangeParts = {
  documents,
  work: { 1.1: nodeWork.first, 1.2: nodeWork.second, '': nodeWork.fixed },
}

/** A linter that the project brings along, as many do. */
const lint = `import pathlib, sys
bad = "-> float" not in pathlib.Path("total.py").read_text()
print("total.py: LINT-COMPLAINT say what is returned" if bad else "LINT-CONTENT")
sys.exit(bad)
`
const pythonProject = {
  ...{ ...pythonFiles, 'lint.py': lint },
  '.baton/config.yaml': `checks:
  tests: { command: [python3, -m, unittest, -v] }
tools:
  tests: { command: [python3, -m, unittest, -v] }
  lint: { command: [python3, lint.py] }
`,
}
const pythonParts: ChangeParts = {
  documents,
  work: { 1.1: pythonWork.first, 1.2: pythonWork.second, '': pythonWork.fixed },
}

/** In an environment with the models' addresses and the real tools, or others. */
async function typeIn(root: string, words: readonly string[], { env }: Pick<Models, 'env'>): Promise<Ended> {
  return baton(root, words, { env: { PATH: toolPath, ...env } })
}

describe('baton change with gemini, codex and claude', () => {
  it.each([
    {
      ...{ what: 'a Node project', files: nodeFiles, parts: nodeParts },
      tools: ['npm test (exit code 0)', 'npm run lint (exit code 1)', 'LINT-COMPLAINT no var', 'adds'],
    },
    {
      ...{ what: 'a Python project', files: pythonProject, parts: pythonParts },
      tools: [
        ...['tests (exit code 0)', 'test_adds', 'lint (exit code 1)', 'LINT-COMPLAINT say what is returned'],
      ],
    },
  ])(
    'R002-01, R002-05 to R002-07, R002-13, R002-15, R002-19 to R002-21, R002-39: goes from nothing to archived on $what, and the reviewer is sent what its tools really printed',
    async ({ files, parts, tools }) => {
      await using models = await startModels(playsChange(parts))
      const root = await makeRepository(files)
      const { code, stdout, stderr } = await typeIn(root, ['change', 'Round total'], models)
      expect(code, `${stdout}\n${stderr}`).toBe(0)
      expect(stdout).toContain("Change 'round-total' is done.")
      const journal = await readFile(join(root, '.baton/runs/1.log.jsonl'), 'utf8')
      for (const word of ['NEEDS_REVISION', 'NEEDS_CHANGES', '"walls":"bubblewrap"'])
        expect(journal).toContain(word)
      const names = await gitIn(root, 'ls-tree', '-r', '--name-only', 'task/1-round-total')
      expect(names).toMatch(/^changes\/archived\/\d{4}-\d\d-\d\d-round-total\/REVIEW\.md$/m)
      const [first, second] = models.askedBy('REVIEWER')
      for (const word of tools) expect(first?.prompt).toContain(word)
      expect(second?.prompt).toContain('LINT-CONTENT')
      expect(models.servers.gemini.asked.length).toBeGreaterThan(0)
      expect(models.askedBy('IMPLEMENTER').every(({ url }) => url.includes('/v1/messages'))).toBe(true)
      // Measured after the proposal, the complexity chooses the models from then on.
      const started = (await linesOf(join(root, '.baton/runs/1.log.jsonl'))).filter(
        ({ type, role }) => type === 'agent.started' && role === 'IMPLEMENTER',
      )
      expect(started.map(({ data }) => [data['provider'], data['model'], data['model_from']])).toEqual(
        Array.from({ length: 3 }, () => ['claude', 'sonnet', 'complexity']),
      )
    },
  )
})

/** The real tool, behind a script that writes down how it was started. */
async function recording(name: string): Promise<{ readonly path: string; words(): Promise<string[]> }> {
  const folder = await makeFolder()
  const log = join(folder, 'started.txt')
  const script = `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } > ${log}\nexec ${join(binFolder, name)} "$@"\n`
  await writeFile(join(folder, name), script)
  await chmod(join(folder, name), 0o755)
  return {
    path: `${folder}:${toolPath}`,
    words: async () => (await readFile(log, 'utf8')).split('\n'),
  }
}

describe('the acceptance scenarios', () => {
  /** The recording is outside the walls. */
  const typeOpen: typeof typeIn = async (root, words, { env }) => {
    const XDG_CONFIG_HOME = await makeFolder()
    await writeFiles(XDG_CONFIG_HOME, { 'baton/config.yaml': 'sandbox: off\n' })
    return typeIn(root, words, { env: { ...env, XDG_CONFIG_HOME } })
  }
  const auth = Object.fromEntries(
    Object.entries(documents)
      .filter(([path]) => !path.endsWith('proposal.md'))
      .map(([path, text]) => [path.replace('round-total', 'add-auth'), text]),
  )

  it('Successful Proposal Generation (R002-35, R002-36, R002-47 to R002-50)', async () => {
    await using models = await startModels((asked) =>
      writing(asked, auth, { summary: 'Sign in with an account that one has.' }),
    )
    const root = await makeRepository(nodeFiles)
    const gemini = await recording('gemini')
    const words = ['--verbose', 'proposal', 'add-auth', 'Add OAuth support']
    const { code, stdout, stderr } = await typeOpen(root, words, {
      env: { ...models.env, PATH: gemini.path },
    })
    expect(code, `${stdout}\n${stderr}`).toBe(0)
    // The prompt is made by the program, from the id and the words.
    const [asked] = models.askedBy('PROPOSER')
    expect(asked?.prompt).toContain('"change_id": "add-auth"')
    expect(asked?.prompt).toContain('"description": "Add OAuth support"')
    // The variable names a file that exists, and its text is the system text that the service got.
    const variable = (await gemini.words()).find((line) => line.startsWith('GEMINI_SYSTEM_MD='))
    const system = await readFile(variable?.slice('GEMINI_SYSTEM_MD='.length) ?? '', 'utf8')
    expect(system).toContain('You are one of four agents that bring a change into a repository')
    expect(JSON.stringify(asked?.body)).toContain(JSON.stringify(system.trim()).slice(1, -1))
    // Streamed to the terminal, and saved.
    expect(stdout).toMatch(/^PROPOSER \| /m)
    expect(stdout).toContain("Proposal saved to 'changes/add-auth/proposal.md'.")
    const saved = await gitIn(root, 'show', 'task/1-add-auth:changes/add-auth/proposal.md')
    expect(saved).toContain('Sign in with an account that one has.')
  })

  it('Claude Implementation with Task Filter (R002-45, R002-51 to R002-54)', async () => {
    await using models = await startModels(playsChange(nodeParts))
    const root = await makeRepository(nodeFiles)
    await typeOpen(root, ['proposal', 'round-total', 'Round total'], models)
    for (const verb of ['challenge', 'reproposal', 'challenge']) await typeOpen(root, [verb], models)
    const claude = await recording('claude')
    const implemented = await typeOpen(root, ['implement', '--tasks', '1.1,1.2'], {
      env: { ...models.env, PATH: claude.path },
    })
    expect(implemented.code, implemented.stdout + implemented.stderr).toBe(0)
    const prompts = models.askedBy('IMPLEMENTER').map(({ prompt }) => prompt.replaceAll(/\s+/g, ''))
    expect(prompts).toHaveLength(2)
    for (const prompt of prompts) expect(prompt).toContain('"tasks":["1.1","1.2"]')
    const words = await claude.words()
    expect(words[words.indexOf('--allowedTools') + 1]).toBe('Write,Edit,Read,Bash,Glob,Grep')
    for (const line of ['Spawning IMPLEMENTER...', 'Task 1.1 done.', 'Task 1.2 done.'])
      expect(implemented.stdout).toContain(line)
  })

  it('CLI Tool Missing (R002-55, R002-56)', async () => {
    const bin = join(await makeFolder(), 'bin')
    await mkdir(bin)
    for (const name of ['git', 'sh', 'env', 'cat', 'node']) await symlink(placeOf(name), join(bin, name))
    await using models = await startModels(() => said({}))
    const root = await makeRepository(nodeFiles)
    const ended = await typeOpen(root, ['proposal', 'add-auth', 'Add OAuth support'], {
      env: { ...models.env, PATH: bin },
    })
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain(
      "Command 'gemini' not found. Please ensure it is installed and in your PATH.",
    )
    expect(await gitIn(root, 'branch', '--list', 'task/*')).toBe('')
  })

  it('Script Failure (R002-57, R002-58)', async () => {
    const message = 'API key not valid. Please pass a valid API key.'
    const error = { code: 401, status: 'UNAUTHENTICATED', message }
    await using models = await startModels(() => ({ error: { status: 401, body: { error } } }))
    const root = await makeRepository(nodeFiles)
    const ended = await typeOpen(root, ['proposal', 'add-auth', 'Add OAuth support'], models)
    expect(ended.code).toBe(1)
    expect(ended.stdout + ended.stderr).toContain(message)
  })
})

function placeOf(program: string): string {
  return findExecutable(program, { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }) ?? program
}
