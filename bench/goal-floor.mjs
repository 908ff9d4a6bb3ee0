// What a step of a goal cannot do without: git's looks at the worktree, one before and one after every process. Each looks
// at every file, so it takes longer the more the steps before have written, with Baton or without.
import { join } from 'node:path'
import { interleave, run } from './measure.mjs'

/** One look at the tree as it was in the middle of the first stretch and of the last, in turn. */
export async function measureLooks({ project, dir, env, sample }) {
  const git = (...words) => run(['git', '-C', project, ...words], { cwd: project, env })
  const commits = (await git('rev-list', '--first-parent', '--reverse', '--branches=task/*'))
    .trim()
    .split('\n')
  const half = Math.floor(sample / 2)
  const [first, last] = await interleave(
    await Promise.all(
      [commits[half], commits.at(-half)].map(async (commit, index) => {
        const worktree = join(dir, `look-${index}`)
        await git('worktree', 'add', '-q', '--detach', worktree, commit)
        return { act: () => look(worktree, env) }
      }),
    ),
    20,
  )
  return { first, last }
}

async function look(worktree, env) {
  for (const words of [['add', '-A'], ['write-tree']])
    await run(['git', '-C', worktree, ...words], { cwd: worktree, env })
}

/** How often a plain step looks: around every agent and every check step, and after every check of a gate. */
export function looksPerStep(lines) {
  const from = lines.findIndex(({ type, data }) => type === 'item.started' && data.step === 'execute')
  const to = lines.findIndex(({ type, data }) => type === 'item.finished' && data.step === 'execute')
  const inside = lines.slice(from, to)
  const count = (holds) => inside.filter(holds).length
  const agents = count(({ type }) => type === 'agent.started')
  const checks = count(({ type }) => type === 'check.finished')
  const checkSteps = count(({ type, data }) => type === 'step.started' && data.kind === 'check')
  return 2 * agents + checks + checkSteps
}
