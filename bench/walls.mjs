// What the walls cost: a room, a worktree with a git directory of the agent's own, the way of a commit out of it.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, interleave, run } from './measure.mjs'
import { makeProject } from './snapshot.mjs'

export async function measureWalls({ load, dir, files, rounds }) {
  const env = cleanEnvironment(join(dir, 'home'))
  const project = join(dir, 'project')
  await makeProject(project, files, env)
  return {
    room: await measureRoom({ load, dir, env, rounds: rounds * 4 }),
    worktree: await measureWorktree({ load, dir, project, env, rounds, files }),
    gate: await measureGate({ load, dir, project, env, rounds: rounds * 2 }),
  }
}

/** Undefined where there is no sandbox to measure. */
async function measureRoom({ load, dir, env, rounds }) {
  const { bubblewrap, bubblewrapProgram } = await load('sandbox/bubblewrap.js')
  if (!existsSync(bubblewrapProgram)) return undefined
  const walls = bubblewrap({ uid: process.getuid(), gid: process.getgid(), canDisableUserNamespaces: true })
  const inside = join(dir, 'inside')
  const scratch = join(dir, 'scratch')
  for (const folder of [inside, scratch]) mkdirSync(folder, { recursive: true })
  const room = {
    ...{ readable: [], writable: [inside], pinned: [], sealed: [], covered: [], doors: [], scratch },
    limits: { memoryBytes: 2e9, processes: 200, fileBytes: 1e7 },
  }
  const command = { argv: ['/bin/true'], env, cwd: inside }
  const around = walls.around(command, room)
  const [floor, walled] = await interleave(
    [{ act: () => run(command.argv, command) }, { act: () => run(around.argv, around) }],
    rounds,
  )
  return { floor, walled }
}

/** Both make a branch and check everything out; ours has an engine's and an agent's git directory besides. */
async function measureWorktree({ load, dir, project, env, rounds, files }) {
  const git = (...words) => run(['git', '-C', project, ...words], { cwd: project, env })
  const removed = (path) => {
    rmSync(path, { recursive: true, force: true })
    return git('worktree', 'prune')
  }
  const workspaces = await workspacesIn({ load, dir, project, env })
  const [floor, ours] = await interleave(
    [
      {
        prepare: (round) => `plain-${round}`,
        act: (name) => git('worktree', 'add', '-q', '-b', name, join(dir, name)),
        after: (name) => removed(join(dir, name)),
      },
      {
        prepare: (round) => `ours-${round}`,
        act: (name) => workspaces.make(name),
        after: (name) => removed(join(dir, name)),
      },
    ],
    rounds,
  )
  return { floor, ours, files }
}

async function workspacesIn({ load, dir, project, env }) {
  const { discoverRepository } = await load('git/repository.js')
  const { createTaskWorkspace } = await load('git/task-workspace.js')
  const { openPrivateDir } = await load('git/private-dir.js')
  const repository = await discoverRepository(project, env)
  const start = repository.head.commit
  const identity = { name: 'You', email: 'you@example.invalid' }
  return {
    start,
    async make(name) {
      const spec = { run: name, branch: `task/${name}`, worktree: join(dir, name), start, excludes: [] }
      const task = await createTaskWorkspace(repository, { ...spec, stateDir: join(dir, 'state', name) })
      return { task, own: await openPrivateDir(task, { name: 'a', tip: start, identity }) }
    },
  }
}

/** One commit of one file; the floor fetches the same commit with one git command that checks nothing. */
async function measureGate({ load, dir, project, env, rounds }) {
  const { importCommits, nextSnapshotRef, moveBranch } = await load('git/import.js')
  const workspaces = await workspacesIn({ load, dir, project, env })
  const { task, own } = await workspaces.make('gate')
  const worktree = task.worktree
  const inside = (...words) => run(['git', '-C', worktree, ...words], { cwd: worktree, env })
  const commit = async (round) => {
    writeFileSync(join(worktree, 'd0', 'f0'), `${round}\n`)
    await inside('commit', '-q', '-a', '-m', `round ${round}`)
    return own.tip()
  }
  // The same commit into another repository: where it were already, the gate would refuse it.
  const other = join(dir, 'other.git')
  await run(['git', 'clone', '-q', '--bare', '--shared', project, other], { cwd: dir, env })
  let last = workspaces.start
  const [floor, gate] = await interleave(
    [
      {
        prepare: commit,
        act: (tip) => run(['git', '-C', other, 'fetch', '-q', own.path, tip], { cwd: dir, env }),
      },
      {
        prepare: () => own.tip(),
        act: async (tip) => {
          const snapshot = await nextSnapshotRef(task)
          const { type, reason } = await importCommits(task, { from: own.path, tip, last, snapshot })
          if (type !== 'imported') throw new Error(reason)
          await moveBranch(task, { from: last, to: tip })
          last = tip
        },
      },
    ],
    rounds,
  )
  return { floor, gate }
}
