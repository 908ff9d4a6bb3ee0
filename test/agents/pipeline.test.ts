import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startRun } from '../../src/cli/start-run.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { textOf } from '../../src/model/json.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { commitAll, gitIn, makeRepository, writeFiles } from '../support/git.ts'
import { linesOf } from '../support/run.ts'
import { kinds, startModelServer } from '../support/model-servers/model-server.ts'
import type { Asked, Kind, ModelServer, Turn } from '../support/model-servers/model-server.ts'
import { goodPlan } from '../support/pipeline.ts'
import { testModels } from '../support/one-agent.ts'
import { toolPath } from './tools.ts'

const files = {
  'README.md': 'A small project.\n',
  'AGENTS.md': 'House rule: light colours are called light.\n',
  'src/app.txt': 'light mode\n',
  'check.sh': '! grep -rq BROKEN src\n',
  '.baton/config.yaml': 'checks: { tests: { command: [sh, check.sh] } }\nsandbox: required\n',
}

const answer = (value: object): Turn => ({
  say: `Here it is.\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`,
})

const runsTests = 'sh check.sh && echo tests passed'

/** What each role does, by a word of the file that its prompt asks for. */
const parts: Readonly<Record<string, (path: string, asked: Asked) => readonly Turn[]>> = {
  '/plans/': (path) => [{ calls: [{ write: { path, text: goodPlan } }] }, answer({ plan_path: path })],
  '/plan_review': () => [answer({ verdict: 'APPROVE' })],
  '/verification': (path, { outputs }) => [
    { calls: [{ write: { path: 'src/theme.txt', text: 'dark mode\n' } }] },
    { calls: [{ write: { path, text: '- [x] the toggle is there\n' } }] },
    { calls: [{ shell: `echo "dark mode" > src/app.txt && ${runsTests}` }] },
    { calls: [{ shell: 'git add -A && git commit --quiet -m "feat: dark mode" && git rev-parse HEAD' }] },
    answer({ status: 'success', commit_hash: hashIn(outputs.at(-1)), tests_passed: true }),
  ],
  _review_: (path) => [
    { calls: [{ shell: `git log --oneline -3 && ${runsTests}` }] },
    { calls: [{ write: { path, text: '# Review\n\nNothing to object to.\n' } }] },
    answer({ verdict: 'PASS', review_path: path }),
  ],
}

function hashIn(output = ''): string {
  return /\b[0-9a-f]{40}\b/.exec(output)?.[0] ?? ''
}

/** A model that plays every role by what the prompt asks it to write. */
function plays(asked: Asked): Turn {
  const path = /Write (?:the file|your report to) '([^']+)'/.exec(asked.prompt)?.[1] ?? ''
  const part = Object.entries(parts).find(([word]) => path.includes(word))?.[1]
  return part?.(path, asked)[asked.turn] ?? { say: 'There is nothing to do.' }
}

async function runPipeline(servers: Partial<Record<Kind, ModelServer>>, more: Record<string, string> = {}) {
  const repository = await makeRepository(files)
  if (Object.keys(more).length > 0) {
    await writeFiles(repository, more)
    await commitAll(repository, 'more')
  }
  const env = Object.assign({}, ...Object.values(servers).map((server) => server.env)) as Record<
    string,
    string
  >
  const [only] = Object.keys(servers)
  const outcome = await startRun(
    {
      ...{
        cwd: repository,
        clock: systemClock,
        interrupt: new AbortController().signal,
        onLine: () => undefined,
      },
      env: { PATH: toolPath, HOME: join(repository, '.git'), ...env },
    },
    {
      ...{ task: 'Add a simple Dark Mode toggle to the main settings page.', mode: 'direct', inputs: {} },
      flags:
        only !== undefined && Object.keys(servers).length === 1
          ? { provider: only, model: testModels[only] ?? '' }
          : {},
    },
  )
  const lines = await linesOf(outcome.folder.journal)
  return { repository, outcome, lines }
}

/** The project's own copy of the workflow, with a tool of its own for some roles. */
async function mixedWorkflow(): Promise<string> {
  const text = await readFile(new URL('../../workflows/pipeline.yaml', import.meta.url), 'utf8')
  const given: Readonly<Record<string, Kind>> = {
    ...{ architect: 'gemini', plan_reviewer: 'codex', developer: 'claude', auditor: 'codex' },
    merge_auditor: 'gemini',
  }
  return Object.entries(given).reduce(
    (all, [role, kind]) =>
      all.replace(`\n  ${role}:\n`, `\n  ${role}:\n    provider: ${kind}\n    model: ${testModels[kind]}\n`),
    text,
  )
}

describe('R001-01: the whole pipeline', () => {
  it.each(kinds)(
    'R002-05 to R002-07: is played by %s to delivery, behind walls',
    { timeout: 400_000 },
    async (kind) => {
      await using server = await startModelServer(kind, plays)
      const { outcome, lines, repository } = await runPipeline({ [kind]: server })
      expect({ status: outcome.state.status, refused: refusedIn(lines) }).toEqual({
        status: 'delivered',
        refused: [],
      })
      expect(lines[0]?.data['walls']).toBe('bubblewrap')
      expect(await gitIn(repository, 'show', `${outcome.state.branch}:src/theme.txt`)).toBe('dark mode')
      expect(server.asked.every(({ prompt }) => prompt.includes('House rule: light colours'))).toBe(true)
    },
  )

  it(
    'is played by three tools together, each in its roles, with the same instructions',
    { timeout: 400_000 },
    async () => {
      await using gemini = await startModelServer('gemini', plays)
      await using claude = await startModelServer('claude', plays)
      await using codex = await startModelServer('codex', plays)
      const { outcome, lines } = await runPipeline(
        { gemini, claude, codex },
        { '.baton/workflows/pipeline.yaml': await mixedWorkflow() },
      )
      expect({ status: outcome.state.status, refused: refusedIn(lines) }).toEqual({
        status: 'delivered',
        refused: [],
      })
      const started = lines.filter(({ type }) => type === 'agent.started')
      expect(started.map(({ role, data }) => `${role}: ${textOf(data['provider'])}`)).toEqual([
        ...[
          'ARCHITECT: gemini',
          'LEAD ARCHITECT: codex',
          'DEVELOPER: claude',
          'AUDITOR: codex',
          'AUDITOR: gemini',
        ],
      ])
      for (const server of [gemini, claude, codex])
        expect(server.asked.every(({ prompt }) => prompt.includes('House rule: light colours'))).toBe(true)
    },
  )
})

function refusedIn(lines: readonly JournalLine[]): unknown[] {
  const types = ['agent.retried', 'answer.refused', 'person.asked']
  return lines.filter(({ type }) => types.includes(type)).map(({ data }) => data)
}
