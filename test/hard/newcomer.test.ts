// The first hour of somebody who has never seen it, at a small terminal and at a large one: install, init, doctor, demo, run,
// Ctrl-C, resume, report. What stands on the screen is kept in test/fixtures/screens: look at it when it changes, then `-u`.
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { commitAll, gitIn, makeFolder } from '../support/git.ts'
import { openScreen } from '../support/screen.ts'
import { root } from '../support/source-files.ts'
import { codeCache } from '../e2e/baton.ts'

const execute = promisify(execFile)
let packed = ''

beforeAll(async () => {
  const folder = await makeFolder()
  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  packed = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '')
})

/** The agents of the demo, of whom the developer goes on only when a file is there. */
async function scriptIn(folder: string): Promise<void> {
  const text = await readFile(join(root, 'demo/script.yaml'), 'utf8')
  const until = `[sh, -c, 'until test -e "${folder}/go"; do sleep 0.1; done']`
  const [before = '', after = ''] = text.split(/^ {2}developer:\n/m)
  const waiting = after.replace('runs: [[node, --test]]', `runs: [${until}, [node, --test]]`)
  await writeFile(join(folder, 'agents.yaml'), `${before}  developer:\n${waiting}`)
}

async function makeTill(folder: string): Promise<string> {
  const till = join(folder, 'till')
  await cp(join(root, 'demo/before'), till, { recursive: true })
  await gitIn(till, 'init', '--quiet', '--initial-branch=main')
  await gitIn(till, 'config', 'user.name', 'You')
  await gitIn(till, 'config', 'user.email', 'you@example.invalid')
  await commitAll(till, 'A till that adds up a basket')
  return till
}

/** What differs from run to run, and from machine to machine. */
function masked(screen: string, folder: string): string {
  return `${screen
    .replaceAll(folder, '<folder>')
    .replaceAll(/baton-demo-\w{6}/g, 'baton-demo-<random>')
    .replaceAll(/\d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/\b[0-9a-f]{7}\b/g, '<hash>')
    .replaceAll(/\b(?:\d+m)?\d+(?:\.\d+)?m?s\b/g, '<n>s')
    .replaceAll(/^[|/\\-] (?=[A-Z ]+, )/gm, '<spinner> ')
    .replaceAll(/<n>s {2,}/g, '<n>s  ')
    .replaceAll(/\b(v|git version )\d+\.\d+\.\d+.*$/gm, '$1<version>')
    .replaceAll(/\d+\.\d GB/g, '<n> GB')
    .replaceAll(/^(\S.{5}) {2}walls .*(?:\n {9,}.*)?$/gm, '<state>  walls       <walls>')
    .replaceAll(/^npm notice.*\n?/gm, '')}\n`
}

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
]

describe.each(sizes)('at a terminal of $columns by $rows', ({ columns, rows }) => {
  test('R001-157: a newcomer comes from the package to a delivered branch and its report', async () => {
    const folder = await makeFolder()
    const till = await makeTill(folder)
    await scriptIn(folder)
    await mkdir(join(folder, 'tmp'))
    const path = [join(folder, 'programs/bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
    const env = {
      PATH: path,
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      XDG_CACHE_HOME: codeCache,
      LANG: 'C.UTF-8',
    }
    const screen = await openScreen({ columns, rows, cwd: till, env })
    const keep = async (name: string, text: string): Promise<void> => {
      const file = join(root, `test/fixtures/screens/${columns}x${rows}/${name}.txt`)
      await expect(masked(text, folder)).toMatchFileSnapshot(file)
    }

    const install = `npm install --global --offline --no-audit --no-fund --prefix ~/programs ${packed}`
    expect(await screen.command(`${install} && clear && baton --version`)).toMatch(/^\d+\.\d+\.\d+$/)
    await keep('1-first-words', await screen.command('baton'))
    await keep('2-init', await screen.command('baton init'))
    await keep('3-doctor', await screen.command('baton doctor'))
    const demo = await screen.command('baton demo')
    // What stands above depends on how often the terminal has to break the paths.
    await keep('4-demo', demo.slice(demo.indexOf('Look at it:')))

    await screen.type(
      'baton run --mode bugfix --provider scripted --script ../agents.yaml "Total ignores quantity"',
    )
    await keep('5-running', await screen.shows(/DEVELOPER, scripted, \w+ \(run \w+\)$/))
    await screen.key('C-c')
    await keep('6-interrupted', await screen.prompt())
    await screen.type('baton resume')
    await screen.shows(/DEVELOPER, scripted, \w+ \(run \w+\)$/)
    await keep('7-resumed', await screen.shows('[code'))
    await writeFile(join(folder, 'go'), '')
    await keep('8-delivered', await screen.prompt())
    await keep('9-report', await screen.command('baton report --output report.html; baton runs'))
    expect(await readFile(join(till, 'report.html'), 'utf8')).toContain('Cost by role')
  }, 600_000)
})
