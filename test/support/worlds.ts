// Two small projects in which what help and guides tell people to type can be typed: agents are scripted, settings say so.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { commitAll, gitIn, makeFolder, writeFiles } from './git.ts'
import type { Files } from './git.ts'
import { root } from './source-files.ts'

/** A home with a project in it. Nobody's settings but these. */
export interface World {
  readonly home: string
  readonly project: string
}

/** Walls and a script outside the project are the user's to choose. */
const ownSettings = (script: string): string => stringify({ sandbox: 'off', scripted: { script } })
const settings = stringify({ provider: 'scripted', base: 'main' })

async function makeWorld(files: Files, script: object): Promise<World> {
  const home = await makeFolder()
  const project = join(home, 'my-project')
  await mkdir(project)
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = You\n\temail = you@example.invalid\n')
  await writeFiles(home, {
    'script.yaml': stringify(script),
    '.config/baton/config.yaml': ownSettings(join(home, 'script.yaml')),
  })
  await gitIn(project, 'init', '--quiet', '--initial-branch=main')
  await writeFiles(project, { ...files, '.baton/config.yaml': settings })
  await commitAll(project, 'A project')
  return { home, project }
}

interface Entry {
  readonly edits?: readonly { readonly file: string; readonly with: string }[]
}

/** The till of the demo, with its bug; the agents of `pipeline` are those of the demo. */
export async function makeTill(): Promise<World> {
  const { roles } = parse(await readFile(join(root, 'demo/script.yaml'), 'utf8')) as { roles: object }
  return tillWith(roles)
}

/** The same, and everybody is content at once. */
export async function makeQuickTill(): Promise<World> {
  const text = await readFile(join(root, 'demo/script.yaml'), 'utf8')
  const { roles } = parse(text) as { roles: Record<string, Entry[]> }
  const last = Object.entries(roles).map(([role, entries]) => [role, [{ ...entries.at(-1), expects: [] }]])
  const [first, second] = roles['developer'] ?? []
  const edits = [
    ...(first?.edits ?? []).map((edit) => ({ ...edit, with: edit.with.replace('||', '??') })),
    ...(second?.edits ?? []).filter(({ file }) => file.startsWith('test/')),
  ]
  return tillWith({ ...Object.fromEntries(last), developer: [{ ...second, expects: [], edits }] })
}

async function tillWith(roles: object): Promise<World> {
  const researcher = [
    {
      writes: { '{writes}': '# Research\n\nThere was no reproduction.\n' },
      answer: { report_path: '{writes}' },
    },
  ]
  const world = await makeWorld({}, { roles: { ...roles, researcher } })
  await cp(join(root, 'demo/before'), world.project, { recursive: true })
  await commitAll(world.project, 'A till that adds up a basket')
  return world
}

const passing = (name: string): string => `import test from 'node:test'\n\ntest('${name}', () => {})\n`

const proposed = {
  'changes/{change_id}/proposal.md': '# The change\n\nPrices have two decimals.\n',
  'changes/{change_id}/specs/rounding.md':
    '# Rounding\n\nWHEN 0.1 and 0.2 are added THEN the total is 0.3.\n',
  'changes/{change_id}/tasks.md': '# Tasks\n\n## 1. Rounding\n\n- [ ] 1.1 Add a function that rounds\n',
}

const finding = [{ id: 'F1', severity: 'major', about: 'which way .5 is rounded' }]
const settled = [{ id: 'F1', about: 'dealt with', status: 'resolved' }]

/** A shop whose tests pass; the agents of `change` and `supervised`. */
export function makeShop(): Promise<World> {
  const step = {
    description: 'Add round',
    complexity: 'simple',
    kind: 'code',
    dependsOn: [],
    acceptance: 'it is there',
  }
  const roles = {
    proposer: [{ writes: proposed, answer: { summary: 'Round the total.' } }],
    challenger: [
      { answer: { verdict: 'NEEDS_REVISION', feedback: 'F1 (major): say which way.', findings: finding } },
      { answer: { verdict: 'APPROVED', findings: settled } },
    ],
    implementer: [
      { writes: { 'src/round.js': 'export const round = Math.round\n' }, answer: { status: 'success' } },
    ],
    reviewer: [{ answer: { verdict: 'APPROVED' } }],
    planner: [
      {
        answer: {
          goal: 'Round.',
          analysis: 'A shop.',
          steps: [
            { ...step, id: 'S1' },
            { ...step, id: 'S2', dependsOn: ['S1'] },
          ],
        },
      },
    ],
    supervisor: [
      {
        answer: {
          score: 90,
          verified: true,
          points: [{ point: 'all', holds: true, evidence: 'src/round.js:1' }],
        },
      },
    ],
    coder: ['round', 'floor'].map((name) => ({
      writes: {
        [`src/${name}.js`]: `export const ${name} = Math.${name}\n`,
        [`test/${name}.test.js`]: passing(name),
      },
      answer: { status: 'done', summary: name, files: [`src/${name}.js`, `test/${name}.test.js`] },
    })),
    tester: [{ answer: { verdict: 'PASS', coverage: 'all of it' } }],
  }
  return makeWorld(
    {
      'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
      'test/shop.test.js': passing('opens'),
    },
    { roles },
  )
}
