// Kills a run with SIGKILL at one point after another (right before and right after a line of its journal), resumes
// it, and compares the end with that of a run nobody disturbed.
//
//   node test/crash/sweep.mjs            every point: takes a while
//   node test/crash/sweep.mjs --every 40  each 40th point, beginning with --from (default 1)
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { makeRepository } from '../../dist/git/make-repository.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const driver = fileURLToPath(new URL('driver.mjs', import.meta.url))
const branch = 'task/1-total-ignores-quantity'
const every = numberAfter('--every', 1)
const from = numberAfter('--from', 1)
const base = mkdtempSync(join(tmpdir(), 'baton-crash-'))
const env = { PATH: process.env.PATH, HOME: base }

const request = await prepare()
const undisturbed = fresh('undisturbed')
const first = drive(undisturbed, 'run', 'never')
if (first.status !== 0) throw new Error(`the undisturbed run failed: ${first.stderr}`)
const { reads, lines } = JSON.parse(first.stdout)
const wanted = factsOf(undisturbed)

const failed = []
const points = [...pointsUpTo(lines, 'after'), ...pointsUpTo(reads, 'before')]
for (const point of points) {
  const problem = problemAt(point)
  if (problem !== undefined) failed.push(point)
  process.stdout.write(problem === undefined ? '.' : `\n${point}: ${problem}\n`)
}
rmSync(base, { recursive: true, force: true })
process.stdout.write(`\n${points.length - failed.length} passed, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function pointsUpTo(last, when) {
  const found = []
  for (let nth = from; nth <= last; nth += every) found.push(`${when}:${nth}`)
  return found
}

function problemAt(point) {
  const repository = fresh(point.replace(':', '-'))
  const killed = drive(repository, 'run', point)
  if (killed.signal !== 'SIGKILL') return `was not killed: ${killed.stdout}${killed.stderr}`
  // Before its first fact a run never was; after its last there is nothing left to do.
  const begun =
    existsSync(journalOf(repository)) && readFileSync(journalOf(repository), 'utf8').includes('\n')
  if (!begun) return undefined
  const resumed = drive(repository, 'resume', 'never')
  const isOver = /has ended \(delivered\)/.test(resumed.stderr)
  if (resumed.status !== 0 && !isOver) return `could not be resumed: ${resumed.stderr.slice(0, 1500)}`
  const found = factsOf(repository)
  const different = Object.keys(wanted).find((name) => found[name] !== wanted[name])
  if (different !== undefined)
    return `${different} differs:\n${found[different]}\nand not\n${wanted[different]}`
  if (found.agents > wanted.agents + 1)
    return `${found.agents} agents were started, ${wanted.agents} are needed`
  rmSync(join(repository, '..'), { recursive: true, force: true })
  return undefined
}

/** What must be the same however often the run was killed. Not the tree: decisions carry the time. */
function factsOf(repository) {
  const git = (...words) =>
    execFileSync('git', ['-C', repository, ...words], { encoding: 'utf8', env }).trim()
  const journal = readFileSync(journalOf(repository), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ends = journal.filter(({ type }) => type === 'step.finished').map(({ data }) => data)
  const worktree = join(repository, '..', '.worktrees', branch.replace('task/', ''))
  const facts = {
    steps: ends
      .map(({ step, visit, outcome, label }) => `${step}#${visit} ${outcome} ${label ?? ''}`)
      .join('\n'),
    commits: git('log', '--format=%s', branch),
    files: git('ls-tree', '-r', '--name-only', branch),
    main: git('rev-parse', 'main'),
    unsaved: git('-C', worktree, 'status', '--short'),
    locks: execFileSync('find', [repository, '-name', 'lock', '-o', '-name', '*.lock'], {
      encoding: 'utf8',
    }).replaceAll(repository, ''),
    processes: alive(repository),
  }
  // Counted, not compared: the one that was killed is started again.
  Object.defineProperty(facts, 'agents', {
    value: journal.filter(({ type }) => type === 'agent.started').length,
  })
  return facts
}

/** Everything that an agent starts carries the folder of its run in its environment. */
function alive(repository) {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  return pids
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`BATON_MARK=${repository}`)
      } catch {
        return false // gone, or not ours to look at
      }
    })
    .join(' ')
}

function journalOf(repository) {
  return join(repository, '.baton', 'runs', '1.log.jsonl')
}

function drive(repository, verb, point) {
  return spawnSync(process.execPath, [driver, verb, repository, request, point], { env, encoding: 'utf8' })
}

function fresh(name) {
  mkdirSync(join(base, name))
  cpSync(join(base, 'template'), join(base, name, 'till'), { recursive: true })
  return join(base, name, 'till')
}

/** The repository and the script of the demo, with tests that take no time. */
async function prepare() {
  const author = { name: 'You', email: 'you@example.invalid' }
  const settings = { '.baton/config.yaml': 'checks: { tests: { command: ["true"] } }\n' }
  await makeRepository(join(base, 'template'), [
    { message: 'A till', author, files: { ...filesIn('demo/before'), ...settings } },
    { message: 'Whole cents', author, files: filesIn('demo/later') },
  ])
  const script = join(base, 'script.yaml')
  writeFileSync(
    script,
    readFileSync(join(root, 'demo/script.yaml'), 'utf8').replaceAll('[node, --test]', '["true"]'),
  )
  const flags = { provider: 'scripted', base: 'main' }
  return JSON.stringify({
    task: 'The total ignores the quantity of an item.',
    mode: 'bugfix',
    inputs: {},
    from: 'main~1',
    script,
    flags,
  })
}

function filesIn(folder) {
  const top = join(root, folder)
  const entries = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [relative(top, path), readFileSync(path, 'utf8')]))
}

function numberAfter(flag, otherwise) {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
