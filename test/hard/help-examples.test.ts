// Whatever `--help` tells people to type can be typed: each line is run as it stands, where there is a run 12.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command as Commander } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { findVerbs } from '../../src/config/find-verbs.ts'
import { layersFor } from '../../src/config/layers.ts'
import { bubblewrapProgram } from '../../src/sandbox/bubblewrap.ts'
import { codeCache, baton, program, smallProject } from '../e2e/baton.ts'
import { makeOffering } from '../support/forges/offering.ts'
import { gitIn } from '../support/git.ts'
import { isWalled } from '../support/room.ts'
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
    'baton firewall explain 12',
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

const toMerged = 'baton watch 12 --every 5m'
const toChat = 'baton listen --port 4747 --secret-env CHAT_SECRET'

/** A run whose agent cannot do it, and which asks what now. */
async function makeStuck(): Promise<World> {
  const { root, script } = await smallProject('roles: { worker: [{ ends: { exit: 3 } }] }')
  const world = await afterEleven({ home: dirname(root), project: root })
  expect((await baton(root, ['run', 'Write the work', '--script', script])).code).toBe(3)
  return world
}

/** There is a branch of run 11, so that the next is the one that the examples speak of. */
async function afterEleven<T extends { readonly project: string }>(world: T): Promise<T> {
  await gitIn(world.project, 'branch', 'task/11-what-came-before')
  return world
}

/** Somebody who answers run 12 with a signed letter, as soon as it is listened to. */
const letter = `import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
const body = JSON.stringify({ run: '12', verb: 'answer', text: 'Use the staging database' })
const at = String(Math.floor(Date.now() / 1000))
const signature = createHmac('sha256', process.env.CHAT_SECRET).update(at + '.' + body).digest('hex')
const headers = { 'x-baton-timestamp': at, 'x-baton-signature-256': 'sha256=' + signature }
const post = () => fetch('http://127.0.0.1:4747/', { method: 'POST', body, headers })
let answer
while ((answer = await post().catch(() => undefined)) === undefined) await sleep(50)
if (answer.status !== 200) throw new Error(await answer.text())
`

/** The line, somebody who writes, and its end by a signal. */
async function hearing({ home }: World): Promise<string> {
  await writeFile(join(home, 'letter.mjs'), letter)
  return [
    `baton() { exec '${process.execPath}' '${program}' "$@"; }`,
    `${toChat} & listening=$!`,
    `'${process.execPath}' ~/letter.mjs && kill -TERM $listening && wait $listening`,
  ].join('\n')
}

const aloneIn = [bubblewrapProgram, '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent']

interface Place extends World {
  readonly env?: Readonly<Record<string, string>>
  /** With a network of its own: no port is taken. */
  readonly alone?: boolean
}

/** As in a shell. */
async function typed(place: Place, lines: string): Promise<{ code: number; said: string }> {
  const { home, project, alone = false } = place
  const shell = `baton() { '${process.execPath}' '${program}' "$@"; }\n${lines}`
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: home,
    XDG_CACHE_HOME: codeCache,
    LANG: 'C.UTF-8',
    ...place.env,
  }
  const [command, ...words] = [...(alone ? aloneIn : []), '/bin/sh', '-c', shell]
  return new Promise((resolve) => {
    execFile(command, words, { cwd: project, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, said: stdout + stderr })
    })
  })
}

async function expectEnd(world: Place, line: string, code = 0): Promise<void> {
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
  test.each(inTill)('has examples that work, for a bug: %s', async (name, lines) => {
    // The story of one run from end to end goes back to the second round of a step.
    const world = await afterEleven(name === 'pipeline' ? await makeTill() : await makeQuickTill())
    for (const line of lines) await expectEnd(world, line)
  })

  const inShop = Object.entries(stories).filter(([name]) => /change|goal/.test(name))
  test.each(inShop)('has examples that work, for a shop: %s', async (_name, lines) => {
    const world = await makeShop()
    // The first challenge asks for a revision, and says so with its exit code.
    for (const [at, line] of lines.entries())
      await expectEnd(world, line, line.startsWith('baton challenge') && at === 1 ? 1 : 0)
  })

  test.each(toStuckRuns)('has examples that work, for a run that asks: %s', async (line) => {
    await expectEnd(await makeStuck(), line)
  })

  test('has an example that works, for a pull request that is merged', async () => {
    const { root: project, home, env, ...offering } = await makeOffering()
    await afterEleven({ project })
    expect((await offering.start()).outcome?.state).toMatchObject({ run: '12', status: 'delivered' })
    Object.assign(offering.pulls[0] ?? {}, { merged: true, state: 'closed' })
    await expectEnd({ home, project, env }, toMerged)
  })

  test('has an example that works, for somebody who answers from elsewhere', async () => {
    const world = await makeStuck()
    const env = { CHAT_SECRET: 'a-secret-that-is-long-enough' }
    const ended = await typed({ ...world, env, alone: isWalled }, await hearing(world))
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.said).toContain('answer for run 12: stored')
  })

  test('has examples that work, all others too', async () => {
    const told: readonly string[] = [...Object.values(stories).flat(), ...toStuckRuns, toMerged, toChat]
    const world = await afterEleven(await makeQuickTill())
    await expectEnd(world, 'baton bugfix "Total ignores quantity"')
    const others = (await allHelp()).flatMap(({ examples }) => examples).filter((one) => !told.includes(one))
    for (const line of new Set(others)) await expectEnd(world, line)
  })
})
