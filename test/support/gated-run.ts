// Runs of a small workflow, a planner, a coder and a delivery, for what one gate finds. Much cheaper than a pipeline.
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { sendMessage } from '../../src/journal/inbox.ts'
import type { PersonVerb } from '../../src/model/durable.ts'
import { textOf } from '../../src/model/json.ts'
import { commitAll, gitIn, makeRepository, writeFiles } from './git.ts'
import type { Files } from './git.ts'
import type { Entry } from './pipeline.ts'
import { play, playOn } from './run.ts'
import type { Played } from './run.ts'

export interface GatedPlay {
  /** Of the coder's step, as YAML. */
  readonly gates?: string
  /** Of the delivery, as YAML, before which the base is merged; without any, the run ends after the code. */
  readonly delivery?: string
  readonly plan?: string
  /** What the coder does at each visit. */
  readonly coder: readonly Entry[]
  readonly files?: Files
  /** Committed on main after the place where the task branch begins. */
  readonly later?: Files
  /** YAML besides the check of the tests. */
  readonly settings?: string
}

export interface GatedRun extends Played {
  readonly root: string
  /** Every gate that was judged, as `code#1 gate met: facts`. The two of every step are left out. */
  readonly gates: readonly string[]
  git(...args: readonly string[]): Promise<string>
  tell(verb: PersonVerb, text?: string): Promise<GatedRun>
}

/** Writes the report and more files, removes others, and commits. */
export function coded(
  files: Files,
  {
    remove = [],
    report = '- [x] done\n',
    ...more
  }: { remove?: readonly string[]; report?: string } & Entry = {},
): Entry {
  return {
    writes: { '{writes}': report, ...files },
    ...(remove.length === 0 ? {} : { runs: [['git', 'rm', '-q', ...remove]] }),
    commits: 'feat: work',
    answer: {},
    ...more,
  }
}

export async function playGated(asked: GatedPlay): Promise<GatedRun> {
  const { plan = '## Completion Checklist\n- [ ] done\n', coder, files, later, settings = '' } = asked
  const root = await makeRepository({
    'README.md': 'A small project.\n',
    'check.sh': '! grep -rq BROKEN src\n',
    'src/app.txt': 'one\n',
    '.baton/config.yaml': `checks: { tests: { command: [sh, check.sh] } }\n${settings}`,
    '.baton/workflows/gated.yaml': workflow(asked),
    '.baton/prompts/gated/role.md': 'Do your part.\n',
    ...files,
  })
  if (later) {
    await writeFiles(root, later)
    await commitAll(root, 'meanwhile')
  }
  const planner = [{ writes: { '{writes}': plan }, answer: {} }]
  const script = join(root, '.git', 'script.json')
  await writeFile(script, JSON.stringify({ roles: { planner, coder } }))
  const flags = { workflow: 'gated', ...(later ? { base: 'main' } : {}) }
  const from = later ? { from: 'main~1' } : {}
  return around(root, await play({ repository: root, script, task: 'work', flags, ...from }))
}

function workflow({ gates = '[]', delivery }: GatedPlay): string {
  return `name: gated
inputs: { task: { required: true } }
paths: { docs: notes }
defaults: { retry: { max_attempts: 1 }, prompt: role.md, on: { failed: ask, blocked: ask } }
roles:
  planner: { may_write: ["notes/"] }
  coder: { capabilities: [read, edit, shell, commit], may_write: ["**"], commits: agent }
steps:
  - { id: plan, agent: planner, writes: notes/plan.md }
  - id: code
    agent: coder
    reads: [plan]
    writes: notes/report.md
    gates: ${gates}
    on: { revise: { to: code, feedback: gates, limit: 1, then: ask } }
${delivery === undefined ? '' : `  - { id: integrate, do: merge-base }\n  - { id: deliver, do: deliver, gates: ${delivery}, on: { revise: { to: code, feedback: gates, limit: 1, then: ask } } }\n`}`
}

function around(root: string, played: Played): GatedRun {
  return {
    ...played,
    root,
    gates: gatesIn(played),
    git: (...args) => gitIn(root, ...args),
    async tell(verb, text = '') {
      await sendMessage(played.folder.inbox, { to: played.state.asked, verb, text })
      return around(root, await playOn({ repository: root, id: played.folder.id }))
    },
  }
}

function gatesIn({ lines }: Played): string[] {
  return lines
    .filter(({ type }) => type === 'gate.checked')
    .filter(({ data }) => data['gate'] !== 'within_scope' && data['gate'] !== 'artifact_written')
    .map(({ data }) => {
      const [visit] = textOf(data['key']).split('/')
      const [facts] = textOf(data['facts']).split('\n')
      return `${visit} ${textOf(data['gate'])} ${data['met'] === true ? 'met' : 'not met'}: ${facts}`
    })
}
