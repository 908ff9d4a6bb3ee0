import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, makeRepository } from '../../test/support/git.ts'
import { typeBaton } from '../../test/support/type-verb.ts'
import { strangeEntry } from './check-script.ts'

const parts = [
  { role: 'planner', step: 'plan' },
  { role: 'worker', step: 'work' },
]

describe('An entry of a script that no step of the workflow plays is strange', () => {
  it('where it is nearly the role of a step that has none', () => {
    expect(strangeEntry({ roles: ['planer', 'worker'], steps: [] }, parts)).toEqual({
      ...{ section: 'roles', name: 'planer', fix: "write 'planner'" },
    })
  })

  it('where it is nearly the id of a step that has none', () => {
    expect(strangeEntry({ roles: ['worker'], steps: ['plna'] }, parts)).toEqual({
      ...{ section: 'steps', name: 'plna', fix: "write 'plan'" },
    })
  })

  it('where a step stands among the roles, or a role among the steps', () => {
    expect(strangeEntry({ roles: ['plan', 'worker'], steps: [] }, parts)).toMatchObject({
      fix: "move 'plan' to 'steps'",
    })
    expect(strangeEntry({ roles: ['worker'], steps: ['planner'] }, parts)).toMatchObject({
      fix: "move 'planner' to 'roles'",
    })
  })

  it('but not where it may be for another workflow', () => {
    expect(strangeEntry({ roles: ['worker', 'architect'], steps: [] }, parts)).toBeUndefined()
    expect(strangeEntry({ roles: ['architect'], steps: [] }, parts)).toBeUndefined()
  })

  it('nor where every step has an entry without it', () => {
    expect(strangeEntry({ roles: ['planer', 'planner', 'worker'], steps: [] }, parts)).toBeUndefined()
    expect(strangeEntry({ roles: ['planer'], steps: ['plan', 'work'] }, parts)).toBeUndefined()
  })
})

it('A misspelt role of a script is refused with its line before anything is made', async () => {
  const root = await makeRepository({
    '.baton/workflows/team.yaml':
      'name: team\ninputs: { task: { required: true } }\nroles: { planner: { prompt: a.md } }\nsteps: [{ id: plan, agent: planner }]\n',
    '.baton/prompts/a.md': 'Plan.\n',
  })
  const script = join(await makeFolder(), 'script.yaml')
  await writeFile(script, 'name: mine\nroles:\n  planer:\n    - answer: { status: success }\n')
  const ended = await typeBaton(root, [
    'run',
    '-w',
    'team',
    '--provider',
    'scripted',
    '--script',
    script,
    'Go',
  ])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(`${script}:3: workflow 'team' has no role 'planer'`)
  expect(ended.stderr).toContain("write 'planner'")
  expect(await readdir(join(root, '.baton'))).not.toContain('runs')
})
