// Whole runs of a few roles whose keys the test writes, as a user would type them.
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { baton, journalOf } from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { makeRepository } from './git.ts'

export interface RolesRun {
  /** Keys of each role in the workflow file, in flow style: `fallback: beta, timeout: { idle: 1s }`. */
  readonly roles: Readonly<Record<string, string>>
  /** YAML of the script. */
  readonly script: string
  readonly settings?: string
  readonly steps?: string
}

export interface Project {
  readonly root: string
  /** `baton <args>`; `run` is given the task and the script. */
  type(...args: string[]): Promise<Ended>
  facts(type: string): Promise<Record<string, unknown>[]>
}

/** One step for each role, in order, each of which may write anything. Answers are JSON of any shape. */
export async function rolesProject({ roles, script, settings = '', steps }: RolesRun): Promise<Project> {
  const names = Object.keys(roles)
  const root = await makeRepository({
    '.baton/config.yaml': `workflow: roles\n${settings}`,
    '.baton/prompts/any.md': 'Do what the task says.\n',
    '.baton/workflows/roles.yaml': `name: roles
inputs: { task: { required: true } }
defaults:
  prompt: any.md
  provider: scripted
  may_write: ["**"]
  repair: 0
  retry: { max_attempts: 1 }
  on: { failed: fail, blocked: fail }
roles:
${names.map((name) => `  ${name}: { ${roles[name]} }\n`).join('')}steps:
${steps ?? names.map((name) => `  - { id: ${name}_step, agent: ${name} }\n`).join('')}  - { id: deliver, do: deliver }
`,
  })
  const file = join(dirname(root), 'script.yaml')
  await writeFile(file, script)
  return {
    root,
    type: (verb = '', ...args) =>
      baton(root, verb === 'run' ? ['run', 'Do it', '--script', file, ...args] : [verb, ...args]),
    facts: async (type) =>
      (await journalOf(root)).filter((line) => line.type === type).map(({ data }) => data),
  }
}
