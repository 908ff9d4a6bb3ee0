import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { treeUpon } from '../../src/git/worktree-tree.ts'
import { isWalled } from '../support/room.ts'
import { openGitRoom, reachesThroughGit } from './engine-git.ts'
import { makeField } from './field.ts'
import type { Field } from './field.ts'
import { gitAttacks } from './git-attacks.ts'
import { machineAttacks } from './machine-attacks.ts'

const self = process.getuid?.() ?? 0

/** What one script can do by itself; what needs a terminal, a hook or a limit of an agent's is not of this place. */
const kinds = /^(files outside|system|secrets|network|processes|objects): /
const byFile = [
  'refs: a ref written as a file',
  'config and hooks: config written as a file',
  'config and hooks: a hook written as a file',
  'worktrees: a file of another task',
  'worktrees: a file of the main checkout',
]
const attacks = [...gitAttacks, ...machineAttacks].filter(
  ({ name, rootOnly }) => (kinds.test(name) || byFile.includes(name)) && (self === 0 || rootOnly !== true),
)

/** Nothing but the room is another one's own here. */
const isOfTheEnvironment = /environment of the (engine|first process)|all environments/

describe.skipIf(!isWalled)("the engine's own git where an agent can write (R001-79, R001-83)", () => {
  let field: Field
  beforeAll(async () => {
    field = await makeField(self)
  })
  afterAll(() => field.close())

  it.each(attacks.filter(({ name }) => !isOfTheEnvironment.test(name)))(
    '$name: works from a planted filter on the machine, and not in the room that git has',
    async (attack) => {
      expect(await reachesThroughGit(field, attack, 'machine'), 'on the machine').toBeDefined()
      expect(await reachesThroughGit(field, attack, 'room'), 'in the room').toBeUndefined()
    },
  )

  it('ends with its room whatever was left running there', async () => {
    await field.reset()
    const script = 'setsid -f sleep 98771 >/dev/null 2>&1; env -i setsid -f sleep 98771 >/dev/null 2>&1'
    expect(await reachesThroughGit(field, { script }, 'room')).toBeUndefined()
    await expect.poll(() => sleepers('98771'), { timeout: 60_000 }).toBe(0)
  })

  it('runs nothing that an agent has planted in its own git directory, beside its files or instead of .git', async () => {
    await field.reset()
    const { task, own, start, out } = field
    const evil = join(task.worktree, 'evil.sh')
    const keys = [
      `fsmonitor = ${evil}`,
      `worktree = ${out}`,
      `hooksPath = ${task.worktree}`,
      `sshCommand = ${evil}`,
    ]
    const more = `[filter "x"]\n\tclean = ${evil}\n\tprocess = ${evil}\n[diff]\n\texternal = ${evil}\n`
    writeFileSync(join(own.path, 'config'), `[core]\n\t${keys.join('\n\t')}\n${more}`)
    writeFileSync(join(task.worktree, '.gitattributes'), '* filter=x diff=x\n')
    writeFileSync(join(task.worktree, 'README.md'), 'changed\n')
    rmSync(join(task.worktree, '.git'))
    symlinkSync(own.path, join(task.worktree, '.git'))
    const room = openGitRoom(field)
    try {
      expect(await own.tip()).toBe(start)
      await own.close()
      expect(await treeUpon(task, start)).toMatch(/^[0-9a-f]{40}$/)
    } finally {
      room.close()
    }
    expect(readdirSync(out)).toEqual(['file'])
    expect(lstatSync(join(task.worktree, '.git')).isFile()).toBe(true)
  })

  it('leaves nothing behind', () => {
    expect(readdirSync(field.task.stateDir).filter((name) => name.includes('room'))).toEqual([])
  })
})

function sleepers(word: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && wordsOf(pid).includes(word)).length
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
