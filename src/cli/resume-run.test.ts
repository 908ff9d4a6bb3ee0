import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { baton, program, smallProject, thenAsk, works } from '../../test/e2e/baton.ts'
import { gitEnvironment, gitIn } from '../../test/support/git.ts'
import { surroundingsOf } from '../../test/support/run.ts'
import { resumeRun } from './resume-run.ts'

test('a run that is cancelled while another command makes ready to go on with it stays cancelled', async () => {
  const { root, script } = await smallProject(works, thenAsk)
  expect((await baton(root, ['run', 'Write the work', '--script', script])).code).toBe(3)
  const surroundings = surroundingsOf({ repository: root })
  let looks = 0
  const interrupted = Object.defineProperty({ ...surroundings }, 'env', {
    get() {
      // By the second look it has found the run waiting; the lock it takes later.
      if (++looks === 2)
        execFileSync(process.execPath, [program, 'cancel', '1'], { cwd: root, env: gitEnvironment })
      return surroundings.env
    },
  })
  await expect(resumeRun(interrupted, { run: '1' })).rejects.toMatchObject({
    code: 'run.finished',
    message: 'Run 1 has ended (cancelled); there is nothing to resume.',
  })
  expect((await baton(root, ['show', '1'])).stdout).toContain('cancelled by a person')
  expect(await gitIn(root, 'diff', '--name-only', 'main', 'task/1-work')).toBe('work.txt')
})
