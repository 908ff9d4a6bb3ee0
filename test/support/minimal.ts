// Runs of the workflow minimal in a small Python project, with agents that do well unless a test says otherwise.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../src/model/json.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { makeRepository } from './git.ts'
import type { Files } from './git.ts'
import { play } from './run.ts'
import type { Play, Played } from './run.ts'

export const goal = 'Provide summary statistics for user data'

/** The plan, the file and the tests of the specification's example. */
export const task = {
  id: 'T1',
  title: 'Implement get_user_stats',
  rationale: 'Provide summary statistics for user data',
  acceptance: 'get_user_stats(data) returns dict with count, mean',
  artifacts: ['src/stats.py'],
} as const

export const plan = { plan_id: 'plan_0001', tasks: [task] } as const

export const stats = `"""Statistics of users."""


def get_user_stats(data):
    count = len(data)
    return {"count": count, "mean": sum(data) / count if count else 0}
`

export const tests = `import sys, os
sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
from src.stats import get_user_stats


def test_count():
    assert get_user_stats([1, 2, 3])["count"] == 3


def test_mean():
    assert get_user_stats([1, 2, 3])["mean"] == 2


def test_one():
    assert get_user_stats([4]) == {"count": 1, "mean": 4}


def test_empty():
    assert get_user_stats([]) == {"count": 0, "mean": 0}


def test_floats():
    assert get_user_stats([0.5, 1.5])["mean"] == 1
`

/** Without a test of its own a project says nothing about how it is tested. */
const projectFiles: Files = {
  'README.md': 'A small project.\n',
  'kb/style.md': '# How we write Python\n\nPlainly.\n',
  'workspace/src/__init__.py': '',
  'workspace/tests/test_stats.py': tests,
}

export type Entry = { readonly [key: string]: Json }

/** An answer byte by byte. */
export const said = (answer: Json, more: Entry = {}): Entry => ({ prints: JSON.stringify(answer), ...more })

/** What a tester says who does what it is told. */
const honest: Entry = {
  answer: { task_id: '{item.id}', passed: '{test.passed}', report: '{test.cut}' },
  as: 'bare',
}

export interface MinimalPlay extends Partial<Play> {
  readonly files?: Files
  readonly planner?: Entry
  readonly coder?: readonly Entry[]
  readonly tester?: readonly Entry[]
}

export interface MinimalRun extends Played {
  readonly root: string
  /** A file as it is in the worktree; empty where there is none. */
  file(path: string): Promise<string>
  /** What an agent was told, or said, for example at `work#1/T1/code#1`. */
  kept(visit: string, name: 'prompt.md' | 'answer.txt'): Promise<string>
  readonly log: string
}

export function edits(...files: readonly (readonly [path: string, content: string])[]): JsonObject {
  return { edits: files.map(([path, content]) => ({ path, content })) }
}

export function scriptOf({ planner, coder, tester }: MinimalPlay): string {
  return JSON.stringify({
    roles: {
      planner: [planner ?? said(plan)],
      coder: coder ?? [said(edits(['src/stats.py', stats]))],
      tester: tester ?? [honest],
    },
  })
}

export function makeProject(files: Files = {}): Promise<string> {
  return makeRepository({ ...projectFiles, ...files })
}

export async function playMinimal(asked: MinimalPlay = {}): Promise<MinimalRun> {
  const root = asked.repository ?? (await makeProject(asked.files))
  const { files: _files, planner: _planner, coder: _coder, tester: _tester, ...rest } = asked
  // A run keeps the place of its script, too.
  if (asked.script !== undefined) await writeFile(asked.script, scriptOf(asked))
  const played = await play({
    ...{ repository: root, task: goal, scriptText: scriptOf(asked) },
    ...rest,
    flags: { workflow: 'minimal', ...asked.flags },
  })
  const { worktree } = played.state
  const { folder } = played
  return {
    ...played,
    root,
    file: (path) => readFile(join(worktree, path), 'utf8').catch(() => ''),
    kept: (visit, name) => readFile(join(folder.steps, visit.replaceAll('#', '.'), 'call-1', name), 'utf8'),
    log: await readFile(folder.journal, 'utf8'),
  }
}

/** The lines that the workflow itself asks for, without their keys. */
export function emitted({ lines }: Pick<Played, 'lines'>): Pick<JournalLine, 'role' | 'type' | 'data'>[] {
  return lines
    .filter(({ type }) => ['plan', 'patch', 'test_result', 'error'].includes(type))
    .map(({ role, type, data: { key: _key, ...data } }) => ({ role, type, data }))
}

export function dataOf({ lines }: Pick<Played, 'lines'>, type: string): JsonObject[] {
  return lines.filter((line) => line.type === type).map(({ data }) => data)
}
