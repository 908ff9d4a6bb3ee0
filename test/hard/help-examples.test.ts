// Whatever `--help` tells people to type can be typed. Each line is run as it stands, but for the number of the run.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command as Commander } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { findVerbs } from '../../src/config/find-verbs.ts'
import { layersFor } from '../../src/config/layers.ts'
import { baton, program, smallProject } from '../e2e/baton.ts'
import { makeQuickTill, makeShop, makeTill } from '../support/worlds.ts'
import type { World } from '../support/worlds.ts'

const nothing = (): void => undefined
const open = (): never => {
  throw new Error('no command is run here')
}

interface Helped {
  readonly command: string
  readonly examples: readonly string[]
}

/** Every command with the lines below `Example:` in its help. */
async function allHelp(): Promise<Helped[]> {
  const verbs = await findVerbs(layersFor({ env: {} }))
  return helpOf(createProgram({ open, done: nothing, complain: nothing, verbs }), '')
}

function helpOf(command: Commander, parents: string): Helped[] {
  let text = ''
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp()
  const name = `${parents}${command.name()}`
  const [, after = ''] = text.split('\nExample:\n')
  const examples = after
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return [{ command: name, examples }, ...command.commands.flatMap((inner) => helpOf(inner, `${name} `))]
}

/** Lines that belong together, in the order in which somebody would type them. */
const stories = {
  pipeline: [
    'baton init --yes',
    'baton doctor --fix',
    'baton run --mode bugfix "The total is wrong when a discount is applied twice"',
    'baton runs --json',
    'baton show 12',
    'baton logs 12 --follow',
    'baton report 12 --output report.html',
    'baton cost 12',
    'baton firewall explain 7',
    'baton restore 12',
    'baton restore 12 3 --into ../restored',
    'baton clean --dry-run',
    'baton undo 12',
    'baton undo 12 --to plan#2',
    'baton resume 12',
    'baton clean 12',
  ],
  direct: ['baton run "The total is wrong when a discount is applied twice"'],
  bugfix: ['baton bugfix "The total is wrong when a discount is applied twice"'],
  research: ['baton research "The total is wrong when a discount is applied twice"'],
  'direct verb': ['baton direct "The total is wrong when a discount is applied twice"'],
  rework: ['baton rework "The total is wrong when a discount is applied twice"'],
  change: ['baton change "Round the total to whole cents"'],
  'change by steps': [
    'baton proposal round-total "Round the total to whole cents"',
    'baton challenge round-total',
    'baton reproposal round-total',
    'baton challenge round-total',
    'baton implement round-total',
    'baton review round-total',
    'baton archive round-total',
  ],
  goal: ['baton goal "Every function of src has a test"'],
}

/** What is typed to a run that has stopped at a step, each to a run of its own. */
const toStuckRuns = [
  'baton approve 12',
  'baton reject 12 "The plan forgets the migration"',
  'baton answer 12 "Use the staging database"',
  'baton cancel 12',
]

/** A run whose agent cannot do it, and which asks what now. */
async function makeStuck(): Promise<World> {
  const { root, script } = await smallProject('roles: { worker: [{ ends: { exit: 3 } }] }')
  expect((await baton(root, ['run', 'Write the work', '--script', script])).code).toBe(3)
  return { home: dirname(root), project: root }
}

/** As in a shell, with run 1 for the numbers of the examples and a role that there is. */
async function typed({ home, project }: World, line: string): Promise<{ code: number; said: string }> {
  const words = line.replaceAll(/\b(?:12|7)\b/g, '1').replaceAll('<role>', 'developer')
  const shell = `baton() { '${process.execPath}' '${program}' "$@"; }\n${words}`
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' }
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', shell], { cwd: project, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, said: stdout + stderr })
    })
  })
}

async function expectEnd(world: World, line: string, code = 0): Promise<void> {
  const ended = await typed(world, line)
  expect(ended.code, `${line}\n${ended.said}`).toBe(code)
}

describe('the help', () => {
  test('of every command ends with an example', async () => {
    const help = await allHelp()
    expect(help.length).toBeGreaterThan(40)
    expect(help.filter(({ examples }) => examples.length === 0)).toEqual([])
    for (const line of help.flatMap(({ examples }) => examples)) expect(line).toMatch(/^baton( |$)/)
  })

  const inTill = Object.entries(stories).filter(([name]) => !/change|goal/.test(name))
  test.each(inTill)(
    'has examples that work, for a bug: %s',
    async (name, lines) => {
      // The story of one run from end to end goes back to the second round of a step.
      const world = name === 'pipeline' ? await makeTill() : await makeQuickTill()
      for (const line of lines) await expectEnd(world, line)
    },
    180_000,
  )

  const inShop = Object.entries(stories).filter(([name]) => /change|goal/.test(name))
  test.each(inShop)(
    'has examples that work, for a shop: %s',
    async (_name, lines) => {
      const world = await makeShop()
      // The first challenge asks for a revision, and says so with its exit code.
      for (const [at, line] of lines.entries())
        await expectEnd(world, line, line.startsWith('baton challenge') && at === 1 ? 1 : 0)
    },
    180_000,
  )

  test.each(toStuckRuns)('has examples that work, for a run that asks: %s', async (line) => {
    await expectEnd(await makeStuck(), line)
  })

  test('has examples that work, all others too', async () => {
    // The demo is typed in newcomer.test.ts; watch.test.ts has a forge to look at, listen.test.ts somebody who writes.
    const elsewhere = [
      'baton demo',
      'baton watch 12 --every 5m',
      'baton listen --port 4747 --secret-env CHAT_SECRET',
    ]
    const told: readonly string[] = [...Object.values(stories).flat(), ...toStuckRuns, ...elsewhere]
    const world = await makeQuickTill()
    await expectEnd(world, 'baton bugfix "Total ignores quantity"')
    await mkdir(join(world.home, 'demo'))
    for (const { examples } of await allHelp())
      for (const line of examples.filter((one) => !told.includes(one)))
        await expectEnd(world, line.replace('/tmp/baton-demo', '~/demo'))
  }, 180_000)
})
