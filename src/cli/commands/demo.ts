import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeRepository } from '../../git/make-repository.ts'
import { FailureError } from '../../model/failure.ts'
import { exitCodes } from '../../model/failure.ts'
import { shellWord } from '../../model/shell-word.ts'
import { unlessMissing } from '../../platform/errno.ts'
import { packageFile } from '../../platform/package-file.ts'
import type { Command } from '../command.ts'
import { startRun } from '../start-run.ts'
import type { RunOutcome } from '../open-session.ts'
import { requireGit } from '../require-git.ts'

const task =
  'The total ignores the quantity of an item. A basket with three of the same costs as much as one.'
const assets = packageFile('demo/')

/** A bug, a colleague who meanwhile changed the same lines, and a whole pipeline: real git, real tests, scripted agents. */
export async function demo(
  { surroundings, output }: Command,
  flags: { readonly keep?: string },
): Promise<number> {
  requireGit(surroundings)
  const dir =
    flags.keep === undefined
      ? join(await mkdtemp(join(tmpdir(), 'baton-demo-')), 'till')
      : resolve(surroundings.cwd, flags.keep)
  await refuseFull(dir)
  await makeDemoRepository(dir)
  output.line(`A small repository with a bug: ${dir}`)
  const env = { ...surroundings.env, XDG_CONFIG_HOME: join(dir, '.git', 'no-user-settings') }
  const outcome = await startRun(
    { ...surroundings, cwd: dir, env },
    {
      ...{ task, mode: 'bugfix', inputs: {}, from: 'main~1', script: join(assets, 'script.yaml') },
      flags: { workflow: 'pipeline', provider: 'scripted', base: 'main' },
    },
  )
  return report({ output, outcome, dir })
}

async function makeDemoRepository(dir: string): Promise<void> {
  await makeRepository(dir, [
    {
      message: 'A till that adds up a basket',
      author: { name: 'You', email: 'you@example.invalid' },
      files: await filesIn('before'),
    },
    {
      message: 'Round the total to whole cents',
      author: { name: 'A colleague', email: 'colleague@example.invalid' },
      files: await filesIn('later'),
    },
  ])
}

async function filesIn(name: string): Promise<Record<string, string>> {
  const root = join(assets, name)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(root.length + 1), await readFile(file, 'utf8')] as const),
  )
  return Object.fromEntries(texts)
}

async function refuseFull(dir: string): Promise<void> {
  const names = (await unlessMissing(readdir(dir))) ?? []
  if (names.length === 0) return
  throw new FailureError({
    code: 'demo.full',
    message: `The folder ${dir} is not empty.`,
    next: 'Name a folder that does not exist yet: baton demo --keep ~/baton-demo',
  })
}

function report({
  output,
  outcome,
  dir,
}: {
  output: Command['output']
  outcome: RunOutcome
  dir: string
}): number {
  const { end, folder, state } = outcome
  const delivered = end.exitCode === exitCodes.delivered
  const text = [
    '',
    'Look at it:',
    `  cd ${shellWord(dir)}`,
    `  git log --graph --oneline ${shellWord(state.branch)}`,
    '  git show main                          # what the colleague did meanwhile; main is where it was',
    `  git diff main...${state.branch} -- src test`,
    `  (cd ${shellWord(state.worktree)} && npm test)     # passes; on main~1 and main it fails`,
    `  ls ${shellWord(join(state.worktree, 'docs', 'dev_docs', 'archived'))}`,
    `  head -n 3 ${shellWord(folder.journal)}`,
    '',
  ].join('\n')
  output.result(
    delivered ? text : `The demo did not end as it should (${end.type}). Its journal: ${folder.journal}`,
    {
      run: folder.id,
      outcome: delivered ? 'delivered' : end.type,
      repository: dir,
      base: state.base,
      branch: state.branch,
      worktree: state.worktree,
      journal: folder.journal,
    },
  )
  return end.exitCode
}
