// What it costs to keep everything: a snapshot of a tree in which one file has changed, against the bare git commands.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, interleave, run } from './measure.mjs'

export async function measureSnapshot({ load, dir, sizes, rounds }) {
  const { discoverRepository } = await load('git/repository.js')
  const { createTaskWorkspace } = await load('git/task-workspace.js')
  const { snapshotTree } = await load('git/restore.js')
  const rows = []
  for (const files of sizes) {
    const env = cleanEnvironment(join(dir, 'home'))
    const project = join(dir, `files-${files}`)
    await makeProject(project, files, env)
    const repository = await discoverRepository(project, env)
    const task = await createTaskWorkspace(repository, {
      run: '1',
      branch: 'task/1',
      worktree: join(dir, `worktree-${files}`),
      start: repository.head.commit,
      stateDir: join(dir, `state-${files}`),
      excludes: [],
    })
    const [floor, snapshot] = await interleave(
      [
        { prepare: (round) => change(project, round), act: () => plainSnapshot(project, env) },
        {
          prepare: (round) => change(task.worktree, round),
          act: () => snapshotTree(task, { message: 'Snapshot\n', date: '2026-01-01T00:00:00Z' }),
        },
      ],
      rounds,
    )
    rows.push({ files, floor, snapshot })
  }
  return { rows }
}

/** add, write-tree, commit-tree, update-ref: what nobody can do without. */
async function plainSnapshot(project, env) {
  const git = async (...words) => (await run(['git', '-C', project, ...words], { cwd: project, env })).trim()
  await git('add', '-A')
  const tree = await git('write-tree')
  const author = ['-c', 'user.name=You', '-c', 'user.email=you@example.invalid']
  const commit = await git(...author, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Snapshot')
  await git('update-ref', `refs/kept/${commit}`, commit)
}

function change(root, round) {
  writeFileSync(join(root, 'd0', 'f0'), `round ${round}\n`)
}

export async function makeProject(project, files, env) {
  mkdirSync(project, { recursive: true })
  for (let folder = 0; folder < Math.ceil(files / 100); folder++) mkdirSync(join(project, `d${folder}`))
  for (let file = 0; file < files; file++)
    writeFileSync(join(project, `d${Math.floor(file / 100)}`, `f${file}`), `file ${file}\n`)
  const git = (...words) => run(['git', '-C', project, ...words], { cwd: project, env })
  await git('init', '-q', '-b', 'main')
  await git('add', '-A')
  await git('-c', 'user.name=You', '-c', 'user.email=you@example.invalid', 'commit', '-q', '-m', 'Start')
}
