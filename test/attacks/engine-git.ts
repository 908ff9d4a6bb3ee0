// The same attacks from inside of the engine's own git: what would be if its configuration, which is ours, were not.
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeUpon } from '../../src/git/worktree-tree.ts'
import { runFolder } from '../../src/journal/run-folder.ts'
import { FailureError } from '../../src/model/failure.ts'
import { wallGit } from '../../src/steps/wall-git.ts'
import { ownWalls } from '../support/room.ts'
import type { Attack } from './attack.ts'
import type { Field } from './field.ts'

/** A filter in the engine's configuration: no agent can write it there, which is the wall that is taken away. */
function plant(field: Field, script: string): string {
  const { worktree, engineDir } = field.task
  const program = join(worktree, 'attack.sh')
  const said = join(worktree, 'said')
  const words = Object.entries({ ...field.env, HOME: '/nowhere' }).map(
    ([name, value]) => `${name}='${value}'`,
  )
  writeFileSync(
    program,
    `#!/bin/sh\ncat >/dev/null\nexport ${words.join(' ')} TOKEN=none\ncd '${worktree}'\n(\n${script}\n) >said 2>/dev/null\n`,
  )
  chmodSync(program, 0o755)
  appendFileSync(join(engineDir, 'config'), `[filter "x"]\n\tclean = ${program}\n`)
  writeFileSync(join(worktree, '.gitattributes'), 'README.md filter=x\n')
  writeFileSync(join(worktree, 'README.md'), 'changed\n')
  return said
}

/** Whether it got what it wanted where the engine looks at the worktree: on the machine itself, or in its room. */
export async function reachesThroughGit(
  field: Field,
  { script }: Pick<Attack, 'script'>,
  place: 'machine' | 'room',
): Promise<string | undefined> {
  await field.reset()
  const said = plant(field, script)
  // What the engine's git is there to write.
  const written = ['index', 'objects', 'refs', 'packed-refs', 'logs', 'gc.log', 'gc.pid'].map((name) =>
    join(field.task.engineDir, name),
  )
  const before = field.digest(written)
  const room = place === 'room' ? openGitRoom(field) : undefined
  try {
    await treeUpon(field.task, field.start)
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
  } finally {
    room?.close()
  }
  if (!existsSync(said)) throw new Error('what was planted has not run: the attack shows nothing')
  if (readFileSync(said, 'utf8').includes('SECRET-'))
    return `printed: ${readFileSync(said, 'utf8').slice(0, 200)}`
  return field.digest(written) === before ? undefined : 'something outside was changed'
}

export function openGitRoom({ task, runsDir }: Field): { close(): void } {
  return wallGit({ repo: task.repo, folder: runFolder(runsDir, '1'), walls: ownWalls })
}
