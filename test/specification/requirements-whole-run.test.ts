import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, providerNames, toolNames } from '../../src/agents/registry.ts'
import { textOf } from '../../src/model/json.ts'
import { slugOf } from '../../src/model/slug.ts'
import { engineAuthor } from '../../src/git/commit.ts'
import { gitIn, makeFolder, testPerson, writeFiles } from '../support/git.ts'
import { task } from '../support/pipeline.ts'
import { paths } from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'
import { sourceFiles } from '../support/source-files.ts'
import { agents, contents, playWholeRun, remark, visits } from '../support/whole-run.ts'
import type { WholeRun } from '../support/whole-run.ts'

interface Commit {
  readonly id: string
  readonly author: string
  readonly subject: string
  /** The visit whose work it is, from the trailer; empty where an agent committed. */
  readonly visit: string
}

let run: WholeRun
let prompts: Record<string, string>
/** What the branch has and its base has not, oldest first. */
let commits: readonly Commit[]

beforeAll(async () => {
  run = await playWholeRun()
  prompts = await run.prompts()
  const format = '--format=%H|%an|%s|%(trailers:key=Baton-Step,valueonly,separator=)'
  const log = await run.git('log', '--reverse', '--topo-order', format, `main..${run.branch}`)
  commits = log.split('\n').map((line) => {
    const [id = '', author = '', subject = '', visit = ''] = line.split('|')
    return { id, author, subject, visit }
  })
})

describe('agents are workers', () => {
  it('R000-01, R001-10, R000-52: each is started by the engine for one step, does it and ends; for a bug the Investigator is the first', () => {
    const started = run.lines.filter(({ type }) => type === 'agent.started')
    expect(
      started.map(({ data, role }) => [`${textOf(data['step'])}#${textOf(data['visit'])}`, role]),
    ).toEqual(agents)
    const ended = run.lines.filter(({ type }) => type === 'agent.finished')
    expect(ended.map(({ data, role }) => [data['end'], role])).toEqual(
      agents.map(([, title]) => ['exit 0', title]),
    )
  })

  it('R000-05: seven roles analyse, plan, code and review under their own titles', () => {
    const titles = agents.slice(0, visits.indexOf('resolve#1')).map(([, title]) => title)
    expect([...new Set(titles)]).toEqual([
      ...[
        'INVESTIGATOR',
        'LEAD ANALYST',
        'RESEARCHER',
        'ARCHITECT',
        'LEAD ARCHITECT',
        'DEVELOPER',
        'AUDITOR',
      ],
    ])
    for (const [visit, title] of agents) expect(prompts[visit]).toContain(`CONTEXT:\nYou are the ${title}.\n`)
  })

  it('R000-80: the engine waits for one agent before it starts the next', () => {
    const order = run.lines
      .map(({ type }) => type)
      .filter((type) => type === 'agent.started' || type === 'agent.finished')
    expect(order).toEqual(agents.flatMap(() => ['agent.started', 'agent.finished']))
  })

  it('R001-06: planning, coding and reviewing are steps of their own, each ended before the next begins', () => {
    const steps = sequence(run).filter((line) => /^\w+#\d (started|ok|revise|escalate)/.test(line))
    const starts = steps.filter((line) => line.endsWith('started'))
    expect(steps.filter((_, index) => index % 2 === 0)).toEqual(starts)
    expect(starts.filter((line) => /^(plan|code|code_review)#/.test(line))).toEqual([
      ...['plan#1 started', 'plan#2 started', 'code#1 started', 'code_review#1 started', 'code#2 started'],
      'code_review#2 started',
    ])
  })
})

describe('the course of the run', () => {
  it('R000-48, R001-43, R001-52: reviews follow plan and code, and lead back or on', () => {
    expect(run.state.steps.map(({ step, label }) => (label === '' ? step : `${step} ${label}`))).toEqual([
      ...['investigate', 'analyst_review ESCALATE', 'research', 'analyst_review APPROVE'],
      ...['plan', 'plan_review REJECT', 'plan', 'plan_review APPROVE'],
      ...['code success', 'code_review FAIL', 'code success', 'code_review PASS'],
      ...['integrate conflict', 'resolve success', 'merge_review PASS', 'archive', 'deliver'],
    ])
  })
})

describe('agents are isolated', () => {
  it('R001-16, R001-04: every step has a new process with a home of its own, in which nothing of an earlier one is', async () => {
    const processes = await Promise.all(visits.map((visit) => run.mark(visit, 'parent')))
    expect(new Set(processes).size).toBe(visits.length)
    const homes = await Promise.all(
      visits.map(async (visit) => variablesIn(await run.mark(visit, 'env')).get('HOME')),
    )
    expect(new Set(homes).size).toBe(visits.length)
    for (const visit of visits) expect(await run.mark(visit, 'found')).toBe('scripted-call.json')
  })

  it("R000-06: nothing of the user's environment reaches an agent, and its git holds its own branch alone", async () => {
    for (const visit of visits) {
      const names = [...variablesIn(await run.mark(visit, 'env')).keys()].filter(
        (name) => !ofTheShell.has(name),
      )
      expect(names.toSorted()).toEqual([
        ...['BATON_MARK', 'GIT_CONFIG_NOSYSTEM', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'PATH', 'TERM'],
      ])
      expect(await run.mark(visit, 'branches')).toBe(`refs/heads/${run.branch}`)
    }
  })

  it('R001-07, R000-29: reports, plans and reviews are handed over as paths, and their texts are in no prompt', () => {
    expect(prompts['plan#1']).toContain(`- investigate: read '${paths.diagnostic}'`)
    expect(prompts['plan#1']).toContain(`- research: read '${paths.research}'`)
    expect(prompts['code#2']).toContain(`- code_review: read '${paths.codeReview(1)}'`)
    for (const text of Object.values(contents)) {
      expect(Object.entries(prompts).filter(([, prompt]) => prompt.includes(text))).toEqual([])
    }
  })

  it('R001-08: the reviewer of a plan is told its path', () => {
    expect(prompts['plan_review#1']).toContain(`INPUT:\n- plan: read '${paths.plan}'\n`)
  })

  it("R001-24: the first agent already works in a worktree apart from the user's checkout", async () => {
    expect(await run.mark('investigate#1', 'place')).toBe(run.worktree)
    expect(run.worktree.startsWith(run.root)).toBe(false)
  })
})

describe('an agent is a subprocess', () => {
  it('R000-19: every agent tool stands behind the same interface, and only its provider knows its name', () => {
    const provider = createRegistry({ env: {}, path: '/nonexistent', cwd: '/' })
    for (const name of providerNames) {
      const shape = { name, check: expect.any(Function) as unknown, command: expect.any(Function) as unknown }
      expect(provider(name)).toMatchObject(shape)
    }
    expect(toolNames.length).toBeGreaterThan(0)
    const shipped = sourceFiles('src').filter(
      ({ path }) => !path.endsWith('.test.ts') && !path.startsWith('src/agents/'),
    )
    const mentions = shipped.filter(({ text }) =>
      toolNames.some((tool) => new RegExp(`\\b${tool}\\b`, 'i').test(text)),
    )
    expect(mentions.map(({ path }) => path)).toEqual([])
  })

  it('R000-20: its command is a list of arguments that no shell reads', async () => {
    const folder = await makeFolder()
    await writeFiles(folder, { 'script.yaml': 'roles: { worker: [{ answer: { status: success } }] }\n' })
    const provider = createRegistry({
      path: '/bin',
      cwd: folder,
      env: {},
      script: { file: join(folder, 'script.yaml') },
    })('scripted')
    const { argv, env } = await provider.command({
      ...{
        role: 'worker',
        title: 'WORKER',
        step: 'work',
        visit: 1,
        call: 1,
        capabilities: [],
        mayWrite: true,
        env: {},
        values: {},
      },
      ...{ worktree: folder, home: join(folder, 'a home; touch x'), promptFile: join(folder, 'prompt.md') },
    })
    expect(argv).toEqual([
      process.execPath,
      expect.stringMatching(/scripted-agent\.cjs$/),
      join(folder, 'a home; touch x', 'scripted-call.json'),
    ])
    expect(env['PATH']).toBe('/bin')
    const shells = sourceFiles('src').filter(({ text }) =>
      /\bshell:\s*(true|['"])|\bexecSync\(|\bexec\(\s*['"`]/.test(text),
    )
    expect(shells.map(({ path }) => path)).toEqual([])
  })

  it('R000-21, R000-32, R001-15: it reads the prompt from its input and answers on its output, without a terminal', async () => {
    // The developer's second entry goes on only if the review's path was in what it read.
    expect(prompts['code#2']).toContain('code_review_dark_mode_toggle_v1.md')
    for (const visit of visits) {
      const answer = await readFile(join(dirname(await home(visit)), 'answer.txt'), 'utf8')
      expect(answer.startsWith(`${remark}\n`)).toBe(true)
      expect(answer).toMatch(/```json\n[\s\S]*```\n$/)
      expect(await run.mark(visit, 'terminal')).toBe('not a tty')
    }
  })
})

describe('prompts', () => {
  it('R000-26, R000-27, R000-28: have the same four parts in the same order, put together in one place', () => {
    for (const [visit, title] of agents) {
      const labels = [...(prompts[visit] ?? '').matchAll(/^([A-Z]+):$/gm)].map(([, label]) => label)
      expect(labels).toEqual(['CONTEXT', 'TASK', 'INPUT', 'FORMAT'])
      expect(prompts[visit]).toMatch(new RegExp(`^CONTEXT:\nYou are the ${title}\\.\n`))
    }
    const builders = sourceFiles('src').filter(
      ({ path, text }) => !path.endsWith('.test.ts') && text.includes('`FORMAT:'),
    )
    expect(builders.map(({ path }) => path)).toEqual(['src/steps/build-prompt.ts'])
  })

  it('R001-89, R001-37: hold the request as it was typed', () => {
    for (const visit of visits) expect(prompts[visit]).toContain(`<<<TASK\n${task}\nTASK>>>`)
  })

  it('R000-09, R001-95: hand the Lead Analyst every report there is', () => {
    expect(inputs('analyst_review#1')).toEqual([`- investigate: read '${paths.diagnostic}'`])
    expect(inputs('analyst_review#2').slice(0, 2)).toEqual([
      ...[`- investigate: read '${paths.diagnostic}'`, `- research: read '${paths.research}'`],
    ])
  })

  it('R000-11, R000-62, R001-107: hand the Lead Architect the plan and the reports', () => {
    expect(inputs('plan_review#1')).toEqual([
      ...[`- plan: read '${paths.plan}'`, `- investigate: read '${paths.diagnostic}'`],
      `- research: read '${paths.research}'`,
    ])
  })

  it('R000-12, R001-46, R001-110: hand the Developer the approved plan, and the review in a later round', () => {
    expect(inputs('code#1')).toEqual([`- plan: read '${paths.plan}'`])
    expect(inputs('code#2')).toEqual([
      `- plan: read '${paths.plan}'`,
      `- code_review: read '${paths.codeReview(1)}'`,
    ])
  })

  it('R000-79: the plan is all that the Developer learns of the Architect, who is told to write down the reasons', () => {
    expect(inputs('code#1')).toEqual([`- plan: read '${paths.plan}'`])
    expect(words('plan#1')).toContain('a reason that you do not write down is lost')
    expect(words('plan#1')).toContain('decisions, each with its reason and the rejected alternatives')
  })

  it('R000-13, R000-71, R001-50, R001-117: hand the Auditor the plan, the cumulative diff, and later its previous report', async () => {
    expect(inputs('code_review#1')).toEqual([`- plan: read '${paths.plan}'`, diffSince('main')])
    const second = inputs('code_review#2')
    expect(second.slice(0, 2)).toEqual([`- plan: read '${paths.plan}'`, diffSince('main')])
    expect(second[2]).toMatch(
      `- code_review: read '${paths.codeReview(1)}' (your own findings of an earlier round`,
    )
    const diff = await readFile(join(dirname(await home('code_review#2')), 'diff.patch'), 'utf8')
    // Both rounds of the developer's work, and the plan: all since the branch left its base.
    expect(diff).toContain('+dark mode that lasts')
    expect(diff).toContain('+++ b/test/app.txt')
    expect(diff).toContain(`+++ b/${paths.plan}`)
    expect(diff).not.toContain('print mode')
  })

  it('R001-58, R001-120: hand the Integration Specialist the conflicts and the plan', async () => {
    expect(inputs('resolve#1')).toEqual([
      expect.stringMatching(
        /^- conflicts: read '\.baton\/inputs\/conflicts\.txt' \(what git says about the conflicts/,
      ),
      `- plan: read '${paths.plan}'`,
    ])
    expect(await run.mark('resolve#1', 'conflicts')).toBe('src/app.txt')
  })

  it('R001-62: the merge review is made in the merged tree', async () => {
    expect(await run.mark('merge_review#1', 'place')).toBe(run.worktree)
    expect(await run.file('src/app.txt')).toBe('dark mode that lasts, and print mode')
    expect(await run.mark('merge_review#1', 'conflicts')).toBe('')
    expect(words('merge_review#1')).toContain('The object of the review is the merged tree in front of you')
  })

  it('R001-28: the Investigator is told of the tool for searching the code base', () => {
    expect(words('investigate#1')).toContain(
      'codebase investigation tool where you have one (`codebase_investigator`)',
    )
  })

  it('R001-30: the Researcher is told of the tool for searching the web', () => {
    expect(words('research#1')).toContain(
      'Search the web** with the tool you have (`google_web_search` where it exists)',
    )
  })

  it('R001-38: the Architect is told to plan in Markdown', () => {
    expect(words('plan#1')).toContain('A first-level title, then exactly these six second-level headings')
  })

  it('R001-42: the Lead Architect is told to judge whether the plan fits the request and is sound', () => {
    expect(words('plan_review#1')).toContain('**Fit**: each demand of the request appears in the logic')
    expect(words('plan_review#1')).toContain('**Soundness**: the design works for the edge cases')
  })

  it('R001-47, R000-81: the Developer is told to test and mend until all passes, within its one process', () => {
    expect(words('code#1')).toContain('**Repeat until it passes**: run the nearest tests after each change')
    expect(sequence(run).filter((line) => line === 'DEVELOPER called')).toHaveLength(2)
  })

  it('R001-51: the Auditor is told to judge against the standards of the project', () => {
    expect(words('code_review#1')).toContain('against the plan and against the standards of the project')
  })

  it('R001-59: the Integration Specialist is told to resolve the conflicts and to run the tests', () => {
    expect(words('resolve#1')).toContain(
      '**Run the tests**: build, linter and the whole suite, from both sides',
    )
    expect(words('resolve#1')).toContain('no conflict markers in any file, passing tests')
  })

  it('R001-63: the merge review is told to check that neither side is broken', () => {
    expect(words('merge_review#1')).toContain(
      'what the base could do before still works, what this branch adds still works',
    )
  })

  it('R001-102: the Architect is told that a test scenario has an expected value', () => {
    expect(words('plan#1')).toContain('concrete input, and the exact expected value')
  })
})

describe('branch and worktree', () => {
  it('R000-51, R001-68, R001-22: exist before the first agent is started', () => {
    const types = run.lines.map(({ type }) => type)
    expect(types.indexOf('branch.created')).toBeGreaterThan(-1)
    expect(types.indexOf('branch.created')).toBeLessThan(types.indexOf('agent.started'))
  })

  it('R001-69, R001-155: the branch is named after the task', () => {
    expect(slugOf(task)).toBe('dark-mode-toggle')
    expect(run.branch).toBe('task/1-dark-mode-toggle')
  })

  it('R001-23: the worktree lies beside the repository and has the branch checked out', async () => {
    expect(run.worktree).toBe(resolve(run.root, '..', '.worktrees', '1-dark-mode-toggle'))
    expect(await gitIn(run.worktree, 'branch', '--show-current')).toBe(run.branch)
  })
})

describe('commits', () => {
  it('R001-73, R000-69, R001-49: the Developer makes its own commits, as many as it likes, and all are kept', () => {
    const byAgents = commits.filter(({ author }) => author === testPerson.name).map(({ subject }) => subject)
    expect(byAgents).toEqual([
      ...['feat: dark mode', 'docs: dark mode', 'fix: keep the state', `Merge main into ${run.branch}`],
    ])
  })

  it('R000-61, R001-40, R000-65: the plan and the verdict on it are committed by the engine', async () => {
    const authors = ['plan#1', 'plan#2', 'plan_review#1'].map(
      (visit) => commits.find((one) => one.visit === visit)?.author,
    )
    expect(authors).toEqual([engineAuthor.name, engineAuthor.name, engineAuthor.name])
    expect(await fileAt('plan#2', paths.plan)).toContain('Unchecked means light.')
    expect(await fileAt('plan_review#1', paths.planReview(1))).toContain('- Verdict: **REJECT**')
  })

  it('R001-74: every step can be gone back to by its commit', async () => {
    expect(await fileAt('plan#1', paths.plan)).not.toContain('Unchecked means light.')
    expect(await fileAt('plan#2', paths.plan)).toContain('Unchecked means light.')
    expect(await fileAt('code_review#1', 'src/app.txt')).toBe('dark mode')
    expect(await fileAt('code_review#2', 'src/app.txt')).toBe('dark mode that lasts')
  })
})

describe('what the Developer owes', () => {
  it('R000-68, R001-111: changed source arrives on the branch', async () => {
    expect(await filesOf('feat: dark mode')).toContain('src/app.txt')
    expect(await run.file('src/app.txt')).toContain('dark mode that lasts')
  })

  it('R001-112: tests are asked for and arrive on the branch', async () => {
    expect(await run.prompt('code#1')).toContain(
      'source changes, tests, updated documentation, VERSION and CHANGELOG',
    )
    expect(await run.file('test/app.txt')).toBe('expects dark mode')
  })

  it('R001-113: documentation is asked for and arrives on the branch', async () => {
    expect(await run.prompt('code#1')).toContain('**Update the documents** the plan lists.')
    expect(await run.file('README.md')).toBe('A small project with a dark mode.')
  })

  it('R001-114: VERSION and CHANGELOG are asked for and arrive on the branch', async () => {
    expect(await run.prompt('code#1')).toContain('Raise the version and add the changelog entry')
    expect([await run.file('VERSION'), await run.file('CHANGELOG.md')]).toEqual([
      '1.1.0',
      '- Added: dark mode',
    ])
  })

  it('R001-115: a verification report with the checklist arrives on the branch', async () => {
    expect(await fileAt('code_review#1', paths.verification)).toBe('- [x] the toggle is there')
    expect(await fileAt('code_review#2', paths.verification)).toBe(
      '- [x] the toggle is there, and keeps its state',
    )
  })
})

describe('documents', () => {
  it('R001-85, R000-07, R000-08, R001-90, R001-93, R001-99, R001-118: live in the active folders while the task is under way', async () => {
    const listed = await run.git('ls-tree', '-r', '--name-only', idOf('merge_review#1'), 'docs/dev_docs')
    expect(listed.split('\n')).toEqual(
      [
        'docs/dev_docs/backlog.md',
        ...[paths.diagnostic, paths.research, paths.plan, paths.verification],
        ...[paths.analysisReview(1), paths.analysisReview(2), paths.planReview(1), paths.planReview(2)],
        ...[paths.codeReview(1), paths.codeReview(2), paths.mergeReview(1)],
      ].toSorted(),
    )
    expect(await fileAt('investigate#1', paths.diagnostic)).toContain(contents.diagnosis)
    expect(await fileAt('research#1', paths.research)).toContain(contents.research)
    expect(await fileAt('plan#1', paths.plan)).toContain(contents.plan)
    expect(await fileAt('code_review#1', paths.codeReview(1))).toContain(contents.review)
  })

  it('R000-60: the plan is a Markdown file below docs/dev_docs/plans', async () => {
    expect(paths.plan).toBe('docs/dev_docs/plans/plan_dark_mode_toggle.md')
    expect(await fileAt('plan#1', paths.plan)).toMatch(/^# Plan/)
  })

  it('R000-72: the review is a file below docs/dev_docs/reviews', () => {
    expect(paths.codeReview(2)).toBe('docs/dev_docs/reviews/code_review_dark_mode_toggle_v2.md')
    const ends = run.lines.filter(
      ({ type, data }) => type === 'step.finished' && data['step'] === 'code_review',
    )
    expect(ends.at(-1)?.data['writes']).toEqual([paths.codeReview(2)])
  })

  it('R001-84, R001-86, R001-87, R000-77: are all moved to the archive by the last commit, and the active folders are gone', async () => {
    expect(commits.at(-1)?.subject).toMatch(/^ORCHESTRATOR: archive/)
    const listed = await run.git('ls-tree', '-r', '--name-only', run.branch, 'docs/dev_docs')
    const archived = (path: string): string => path.replace('docs/dev_docs/', 'docs/dev_docs/archived/')
    expect(listed.split('\n')).toEqual([
      ...[paths.plan, paths.diagnostic, paths.research].map(archived),
      ...[paths.analysisReview(1), paths.analysisReview(2), paths.codeReview(1), paths.codeReview(2)].map(
        archived,
      ),
      ...[paths.mergeReview(1), paths.planReview(1), paths.planReview(2), paths.verification].map(archived),
      'docs/dev_docs/backlog.md',
    ])
    expect(await readdir(join(run.worktree, 'docs', 'dev_docs'))).toEqual(['archived', 'backlog.md'])
  })
})

describe('delivery', () => {
  it('R000-76, R001-77, R001-156: main is left alone, and the printed line merges the branch into it', async () => {
    const said = run.lines.flatMap(({ type, data }) => (type === 'said' ? [textOf(data['text'])] : []))
    expect(said).toContain('To merge: git merge task/1-dark-mode-toggle')
    expect(await run.git('log', '-1', '--format=%s', 'main')).toBe('meanwhile')
    expect(await run.git('show', 'main:src/app.txt')).toBe('light mode and print mode')
    await run.git('merge', '--quiet', 'task/1-dark-mode-toggle')
    expect(await run.git('show', 'main:src/app.txt')).toBe('dark mode that lasts, and print mode')
  })
})

function idOf(visit: string): string {
  const commit = commits.find((one) => one.visit === visit)
  if (!commit) throw new Error(`no commit of ${visit}`)
  return commit.id
}

/** A file as it was right after a visit. */
async function fileAt(visit: string, path: string): Promise<string> {
  return run.git('show', `${idOf(visit)}:${path}`)
}

async function filesOf(subject: string): Promise<string[]> {
  const commit = commits.find((one) => one.subject === subject)
  return (await run.git('show', '--format=', '--name-only', commit?.id ?? '')).split('\n')
}

function inputs(visit: string): string[] {
  const [, input = ''] = /\nINPUT:\n([\s\S]*?)\n\nFORMAT:/.exec(prompts[visit] ?? '') ?? []
  return input.split('\n')
}

/** A prompt in one line: where its lines end says nothing. */
function words(visit: string): string {
  return (prompts[visit] ?? '').replaceAll(/\s+/g, ' ')
}

function diffSince(base: string): unknown {
  return expect.stringMatching(
    new RegExp(
      `^- diff: read '\\.baton/inputs/diff\\.patch' \\(all changes of the branch since it left '${base}'`,
    ),
  )
}

async function home(visit: string): Promise<string> {
  return variablesIn(await run.mark(visit, 'env')).get('HOME') ?? ''
}

/** Variables that `sh` sets for itself. */
const ofTheShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])

function variablesIn(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => line.split('='))
  return new Map(lines.map(([name = '', ...value]) => [name, value.join('=')]))
}
