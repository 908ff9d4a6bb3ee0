// The workflow `change`, from nothing to archived, by one command and by several.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readState } from '../../src/journal/read-state.ts'
import { runFolder } from '../../src/journal/run-folder.ts'
import type { RunState } from '../../src/model/run-state.ts'
import {
  changeScript,
  makeNodeProject,
  makePythonProject,
  nodeWork,
  pythonWork,
} from '../support/change-project.ts'
import { gitIn } from '../support/git.ts'
import { scriptedBy, typeBaton } from '../support/type-verb.ts'

// Whole runs, on machines that may be slow.
vi.setConfig({ testTimeout: 600_000 })

const node = () =>
  scriptedBy(
    changeScript(nodeWork, ['LINT-COMPLAINT no var', 'npm run lint (exit code 1)', 'npm test (exit code 0)']),
  )

async function stateOf(repository: string, run = '1'): Promise<RunState> {
  return readState(runFolder(join(repository, '.baton', 'runs'), run))
}

async function endedSteps(repository: string, run = '1'): Promise<string[]> {
  return (await stateOf(repository, run)).steps.map(
    ({ step, label, outcome }) => `${step} ${label || outcome}`,
  )
}

async function filesOn(repository: string, branch: string): Promise<string[]> {
  return (await gitIn(repository, 'ls-tree', '-r', '--name-only', branch)).split('\n').filter(Boolean)
}

const wholeWay = [
  ...[
    'propose ok',
    'measure low',
    'challenge NEEDS_REVISION',
    'propose ok',
    'measure low',
    'challenge APPROVED',
  ],
  ...[
    'implement ok',
    'implement_task success',
    'implement_task success',
    'tools fail',
    'review NEEDS_CHANGES',
  ],
  ...['fix success', 'tools pass', 'review APPROVED', 'archive ok', 'deliver ok'],
]

describe('baton change', () => {
  test('R002-01, R002-19 to 21, R002-37 to 42, C-33, C-34: goes from nothing to archived on a Node project, with the real output of its tools in the prompt of the review', async () => {
    const repository = await makeNodeProject()
    const { code, stdout } = await typeBaton(repository, ['change', 'Round total', ...(await node())])
    expect(code).toBe(0)
    expect(stdout).toContain("Change 'round-total' is done. Branch 'task/1-round-total' is ready for merge.")
    expect((await endedSteps(repository)).toSorted()).toEqual(wholeWay.toSorted())
    const files = await filesOn(repository, 'task/1-round-total')
    const archived = files.filter((path) => /^changes\/archived\/\d{4}-\d\d-\d\d-round-total\//.test(path))
    expect(archived.map((path) => path.replace(/^changes\/archived\/[^/]+\//, '')).toSorted()).toEqual([
      ...['CHALLENGE.md', 'REVIEW.md', 'proposal.md', 'specs/rounding.md', 'tasks.md'],
    ])
    expect(files.filter((path) => path.startsWith('changes/') && !archived.includes(path))).toEqual([])
    const tasks = await gitIn(
      repository,
      'show',
      `task/1-round-total:${archived.find((path) => path.endsWith('tasks.md')) ?? ''}`,
    )
    expect(tasks).toContain('- [x] 1.1')
    expect(tasks).toContain('- [x] 1.2')
  })

  test('R002-43, R002-44: makes a commit for every task, and ticks it when its gates have passed', async () => {
    const repository = await makeNodeProject()
    await typeBaton(repository, ['change', 'Round total', ...(await node())])
    const log = await gitIn(repository, 'log', '--format=%s', 'main..task/1-round-total')
    expect(
      log
        .split('\n')
        .filter((line) => /implement_task|tasks\.md/.test(line))
        .toReversed(),
    ).toEqual([
      'IMPLEMENTER: implement_task 1.1 success',
      'ORCHESTRATOR: changes/round-total/tasks.md: 1.1 is done',
      'IMPLEMENTER: implement_task 1.2 success',
      'ORCHESTRATOR: changes/round-total/tasks.md: 1.2 is done',
    ])
  })

  test('C-29: goes from nothing to archived on a Python project, where a tool that is not installed is a sentence', async () => {
    const repository = await makePythonProject()
    const script = await scriptedBy(
      changeScript(pythonWork, ['test_adds', 'tests (exit code 0)', 'ruff check (ruff check not available)']),
    )
    const { code } = await typeBaton(repository, ['change', 'Round total', ...script])
    expect(code).toBe(0)
    const ended = await endedSteps(repository)
    expect(ended.at(-1)).toBe('deliver ok')
    expect(ended).toContain('challenge NEEDS_REVISION')
    expect(ended).toContain('review NEEDS_CHANGES')
  })

  test('is interrupted at the end of every step, and goes on with the same command to the same end, with all that a person wrote meanwhile', async () => {
    const repository = await makeNodeProject()
    const flags = await node()
    let typed = await typeBaton(repository, ['change', 'Round total', ...flags], isStepEnd)
    let commands = 1
    const byHand: string[] = []
    while (typed.code === 130) {
      const proposal = join((await stateOf(repository)).worktree, 'changes/round-total/proposal.md')
      const text = await readFile(proposal, 'utf8').catch(() => undefined)
      if (text !== undefined) {
        byHand.push(`By hand, after command ${commands}.`)
        await writeFile(proposal, `${text}\n${byHand.at(-1)}\n`)
      }
      typed = await typeBaton(repository, ['change', 'Round total'], isStepEnd)
      commands += 1
      expect(commands).toBeLessThan(40)
    }
    expect(typed.code).toBe(0)
    expect((await endedSteps(repository)).toSorted()).toEqual(wholeWay.toSorted())
    expect(commands).toBeGreaterThan(10)
    const archived = (await filesOn(repository, 'task/1-round-total')).find((path) =>
      path.endsWith('/proposal.md'),
    )
    const kept = await gitIn(repository, 'show', `task/1-round-total:${archived ?? ''}`)
    expect(byHand.length).toBeGreaterThan(8)
    expect(byHand.filter((line) => !kept.includes(line))).toEqual([])
  })
})

function isStepEnd({ type }: { readonly type: string }): boolean {
  return type === 'step.finished'
}

describe('one command after the other', () => {
  test('R002-22, R002-35, R002-46, C-25, C-33: do the same on one run, and each names the next', async () => {
    const repository = await makeNodeProject()
    const words = ['proposal', 'round-total', 'Round total', ...(await node())]
    const first = await typeBaton(repository, words)
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Next: baton challenge round-total') as string,
    })
    const told: [number, string][] = []
    for (const verb of [
      'challenge',
      'reproposal',
      'challenge',
      'implement',
      'review',
      'implement',
      'review',
      'archive',
    ]) {
      const { code, stdout } = await typeBaton(repository, [verb])
      told.push([code, /^Next: (.*)$/m.exec(stdout)?.[1] ?? 'over'])
    }
    expect(told).toEqual([
      [1, 'baton reproposal round-total'],
      [0, 'baton challenge round-total'],
      [0, 'baton implement round-total'],
      [0, 'baton review round-total'],
      [1, 'baton implement round-total'],
      [0, 'baton review round-total'],
      [0, 'baton archive round-total'],
      [0, 'over'],
    ])
    expect(
      (await endedSteps(repository)).filter((step) => !step.startsWith('implement ')).toSorted(),
    ).toEqual(wholeWay.filter((step) => !step.startsWith('implement ')).toSorted())
    expect(await stateOf(repository)).toMatchObject({ status: 'delivered' })
  })

  test('R002-24, R002-47, R002-48, R002-50: proposal is asked for with the id and the words, saves what was said to proposal.md; typed again it says that it is done', async () => {
    const repository = await makeNodeProject()
    const { stdout } = await typeBaton(repository, [
      'proposal',
      'round-total',
      'Round total',
      ...(await node()),
    ])
    expect(stdout).toContain("PROPOSER: Proposal saved to 'changes/round-total/proposal.md'.")
    const prompt = await readFile(join(repository, '.baton/runs/1/steps/propose.1/call-1/prompt.md'), 'utf8')
    expect(prompt).toContain('"change_id": "round-total"')
    expect(prompt).toContain('"description": "Round total"')
    const again = await typeBaton(repository, ['proposal', 'round-total', 'Round total'])
    expect(again).toMatchObject({ code: 0, lines: [] })
    expect(again.stdout).toContain(
      "'proposal' of round-total is done already (run 1).\nNext: baton challenge round-total",
    )
  })

  test('R002-16, R002-17, R002-54, C-31: what an agent says is printed line by line with --verbose, and not told twice without', async () => {
    const repository = await makeNodeProject()
    const words = ['proposal', 'round-total', 'Round total', ...(await node())]
    const { stdout } = await typeBaton(repository, [...words, '--verbose'])
    expect(stdout).toContain('PROPOSER | Reading the code\n')
    const quiet = await typeBaton(await makeNodeProject(), words)
    expect(quiet.stdout).not.toContain('PROPOSER |')
    expect(quiet.stdout).toContain('ORCHESTRATOR: Spawning PROPOSER...')
  })

  test('what a person has edited between two of them stays, and is handed on', async () => {
    const repository = await makeNodeProject()
    await typeBaton(repository, ['proposal', 'round-total', 'Round total', ...(await node())])
    const { worktree } = await stateOf(repository)
    const proposal = join(worktree, 'changes/round-total/proposal.md')
    await writeFile(proposal, `${await readFile(proposal, 'utf8')}\nBy hand: never round a tax.\n`)
    const challenge = await typeBaton(repository, ['challenge'])
    expect(challenge.stdout).toContain('Changes made by hand were taken over.')
    await typeBaton(repository, ['proposal', 'round-total', 'Round total'])
    await typeBaton(repository, ['reproposal'])
    const text = await readFile(proposal, 'utf8')
    expect(text).toContain('By hand: never round a tax.')
    expect(text).toContain('.5 is rounded up.')
  })

  test('R002-51, R002-52, R002-59: implement takes only the tasks that are named, and the others stay open', async () => {
    const repository = await makeNodeProject()
    await typeBaton(repository, ['proposal', 'round-total', 'Round total', ...(await node())])
    for (const verb of ['challenge', 'reproposal', 'challenge']) await typeBaton(repository, [verb])
    const first = await typeBaton(repository, ['implement', '--tasks', '1.1'])
    expect(first.stdout).toContain('Task 1.1 done.')
    expect(first.stdout).toContain('Next: baton implement round-total')
    const { worktree } = await stateOf(repository)
    const tasks = await readFile(join(worktree, 'changes/round-total/tasks.md'), 'utf8')
    expect(tasks).toContain('- [x] 1.1')
    expect(tasks).toContain('- [ ] 1.2')
    const early = await typeBaton(repository, ['review'])
    expect(early.stderr).toContain("round-total is not that far: 'implement' comes before 'review'.")
    const second = await typeBaton(repository, ['implement', '--tasks', '1.1,1.2'])
    expect(second.lines.filter(({ type }) => type === 'item.started')).toHaveLength(1)
    expect(second.stdout).toContain('Next: baton review round-total')
  })

  test('C-28: complexity is measured, stored, shown, and overridden by a flag', async () => {
    const repository = await makeNodeProject()
    const flags = await node()
    const { stdout } = await typeBaton(repository, [
      'proposal',
      'round-total',
      'Round total',
      '--complexity',
      'critical',
      ...flags,
    ])
    expect(stdout).toContain('Complexity critical: 1 specifications, 2 open tasks.')
    expect((await endedSteps(repository)).at(-1)).toBe('measure critical')
  })
})
