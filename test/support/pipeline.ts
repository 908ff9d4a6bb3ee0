// Runs of the pipeline workflow in a small project, with agents that do their work well unless a test says otherwise.
import { chmod, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendMessage } from '../../src/journal/inbox.ts'
import type { PersonMessage, PersonVerb, Question } from '../../src/model/durable.ts'
import type { Json } from '../../src/model/json.ts'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from './git.ts'
import type { Files } from './git.ts'
import { play, playOn } from './run.ts'
import type { Played } from './run.ts'

export const task = 'Add a simple Dark Mode toggle to the main settings page. Use a checkbox.'

export type Entry = { readonly [key: string]: Json }
export type Roles = Readonly<Record<string, readonly Entry[]>>

export const goodPlan = `# Plan, round {n}

## Reference Documents
- README.md

## Detailed Logic
The toggle is a checkbox.

## Test Scenarios
None: there is no program yet that could be tested.

## Documentation Updates
None: nobody uses it yet.

## Expected Deliverables
- src/app.txt

## Completion Checklist
- [ ] the toggle is there
`

const written = (text: string, answer: Json): Entry => ({
  template: true,
  writes: { '{writes}': `${text}, round {n}\n` },
  answer,
})

export function planned(text: string): Entry {
  return { template: true, writes: { '{writes}': text }, answer: { plan_path: '{writes}' } }
}

/** Writes, commits, answers: an entry of a role that commits itself. */
export function commits(files: Files, message = 'feat: dark mode'): Entry {
  return {
    writes: { '{writes}': '- [x] the toggle is there\n', ...files },
    commits: message,
    answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
  }
}

export const developed: Entry = {
  ...commits({ 'src/app.txt': 'dark mode, round {n}\n' }),
  template: true,
}

/** What an integration specialist does: the merge is under way, with conflicts in src/app.txt. */
export const resolved: Entry = {
  writes: { 'src/app.txt': 'dark mode and light mode\n' },
  runs: [
    ['git', 'add', '-A'],
    ['git', 'commit', '--quiet', '--no-edit'],
  ],
  answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
}

/** A run that is only about what comes before the code ends there: somebody has to be asked. */
export const stopAtCode: Roles = { developer: [{ answer: { status: 'blocked', feedback: 'Enough.' } }] }

/** What every role does if a test does not say otherwise. */
export const goodRoles: Roles = {
  investigator: [written('diagnosis', { report_path: '{writes}' })],
  researcher: [written('research', { report_path: '{writes}' })],
  lead_analyst: [{ answer: { verdict: 'APPROVE' } }],
  architect: [planned(goodPlan)],
  plan_reviewer: [{ answer: { verdict: 'APPROVE' } }],
  developer: [developed],
  auditor: [written('review', { verdict: 'PASS', review_path: '{writes}' })],
  integration_specialist: [resolved],
  merge_auditor: [written('merge review', { verdict: 'PASS', review_path: '{writes}' })],
}

export interface PipelinePlay {
  readonly mode?: string
  /** Roles that do otherwise than well. */
  readonly roles?: Roles
  /** Committed on main before the run. */
  readonly files?: Files
  /** Committed on main after the place where the task branch begins. */
  readonly later?: Files
  /** Shell lines that run whenever the engine runs the tests; `$HOME` is the repository, `$n` how often by now. */
  readonly onCheck?: string
  /** Changes to the project's own copy of the workflow. */
  readonly workflow?: Readonly<Record<string, string>>
  readonly inputs?: Readonly<Record<string, string>>
  readonly task?: string
  readonly askPerson?: (question: Question) => Promise<PersonMessage | undefined>
}

export interface PipelineRun extends Played {
  /** The repository of the project; its branch main is checked out there. */
  readonly root: string
  readonly branch: string
  readonly worktree: string
  /** What an agent was told, for example at `plan#2`. */
  prompt(visit: string, call?: number): Promise<string>
  /** A file that was handed to an agent, or kept of it, at its first call. */
  handed(visit: string, name: string): Promise<string>
  /** A file as it is on the task branch at its end; empty where there is none. */
  file(path: string): Promise<string>
  git(...args: readonly string[]): Promise<string>
  /** Goes on after a person has said something, or just goes on. */
  tell(verb: PersonVerb, text?: string): Promise<PipelineRun>
}

export async function playPipeline(asked: PipelinePlay = {}): Promise<PipelineRun> {
  const root = await makeProject(asked)
  const script = join(root, '.git', 'script.json')
  await writeFile(script, JSON.stringify({ roles: { ...goodRoles, ...asked.roles } }))
  const played = await play({
    repository: root,
    script,
    task: asked.task ?? task,
    inputs: asked.inputs ?? {},
    ...(asked.mode === undefined ? {} : { mode: asked.mode }),
    ...(asked.later === undefined ? {} : { from: 'main~1', flags: { base: 'main' } }),
    ...(asked.askPerson === undefined ? {} : { askPerson: asked.askPerson }),
  })
  return around(root, played)
}

function around(root: string, played: Played): PipelineRun {
  const { branch, worktree } = played.state
  const { folder } = played
  const callFolder = (visit: string, call: number) =>
    join(folder.steps, visit.replace('#', '.'), `call-${call}`)
  return {
    ...played,
    ...{ root, branch, worktree },
    prompt: (visit, call = 1) => readFile(join(callFolder(visit, call), 'prompt.md'), 'utf8'),
    handed: (visit, name) => readFile(join(callFolder(visit, 1), name), 'utf8'),
    file: (path) => gitIn(root, 'show', `${branch}:${path}`).catch(() => ''),
    git: (...args) => gitIn(root, ...args),
    async tell(verb, text = '') {
      await sendMessage(folder.inbox, { to: played.state.asked, verb, text })
      return around(root, await playOn({ repository: root, id: folder.id }))
    },
  }
}

/** Answers questions in turn, then leaves. */
export function person(...replies: readonly (readonly [verb: PersonVerb, text?: string])[]) {
  const questions: Question[] = []
  const askPerson = async (question: Question): Promise<PersonMessage | undefined> => {
    const reply = replies[questions.length]
    questions.push(question)
    return reply && { id: `reply-${questions.length}`, verb: reply[0], text: reply[1] ?? '' }
  }
  return { askPerson, questions }
}

export const projectFiles: Files = {
  'README.md': 'A small project.\n',
  'src/app.txt': 'light mode\n',
  // The tests of this project pass unless something is broken; a test may let more happen meanwhile.
  'check.sh': 'if [ -x "$HOME/.git/on-check" ]; then "$HOME/.git/on-check"; fi\n! grep -rq BROKEN src\n',
  '.baton/config.yaml': 'checks: { tests: { command: [sh, check.sh] } }\n',
}

let template: Promise<string> | undefined

async function makeProject({ files, later, onCheck, workflow }: PipelinePlay): Promise<string> {
  const root = join(await makeFolder(), 'project')
  await cp(await (template ??= makeRepository(projectFiles)), root, { recursive: true })
  if (workflow) await writeFiles(root, { '.baton/workflows/pipeline.yaml': await changedWorkflow(workflow) })
  if (files) await writeFiles(root, files)
  if (files ?? workflow) await commitAll(root, 'more')
  if (later) {
    await writeFiles(root, later)
    await commitAll(root, 'meanwhile')
  }
  if (onCheck !== undefined) await writeHook(root, onCheck)
  return root
}

async function writeHook(root: string, lines: string): Promise<void> {
  const hook = join(root, '.git', 'on-check')
  const count = 'echo x >> "$HOME/.git/checked"; n=$(wc -l < "$HOME/.git/checked" | tr -d " ")'
  await writeFile(hook, `#!/bin/sh\nexec >/dev/null 2>&1\n${count}\n${lines}\n`)
  await chmod(hook, 0o755)
}

async function changedWorkflow(changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(new URL('../../workflows/pipeline.yaml', import.meta.url), 'utf8')
  for (const [before, after] of Object.entries(changes)) {
    if (!text.includes(before)) throw new Error(`pipeline.yaml does not contain: ${before}`)
    text = text.replace(before, after)
  }
  return text
}
