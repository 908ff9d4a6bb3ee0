// Kills a run with SIGKILL at one point after another (right before and right after every line of its journal, and
// inside every agent), resumes it, and compares the end with that of a run that nobody disturbed. Some of the
// resumed runs are killed once more.
//
//   node test/crash/sweep.mjs               every point of the demo
//   node test/crash/sweep.mjs --short       every point of a small workflow
//   node test/crash/sweep.mjs --supervised  every point of a goal under supervision, with a sub-plan
//   node test/crash/sweep.mjs --every 16    each 16th point
//   node test/crash/sweep.mjs --part 2/8    the second eighth of them
//   node test/crash/sweep.mjs --only before:12,inside:3+after:4
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { completeAnswers, factsOf, linesOf, processesOf } from './facts.mjs'
import { prepare } from './fixtures.mjs'

const driver = fileURLToPath(new URL('driver.mjs', import.meta.url))
const words = process.argv.slice(2)
const every = Number(valueAfter('--every') ?? 1)
const jobs = Number(valueAfter('--jobs') ?? Math.min(2, availableParallelism()))
// Memory where there is some: a kill takes nothing from the disk's cache, so waiting for the disk shows nothing.
const place = valueAfter('--in') ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
const base = mkdtempSync(join(place, 'baton-crash-'))
/** Where a resumed run is killed for the second time. */
const secondKills = ['before:1', 'after:1', 'after:3', 'before:9', 'inside:1', 'after:14']
const startedAt = performance.now()

try {
  process.exitCode = await sweep()
} finally {
  rmSync(base, { recursive: true, force: true, maxRetries: 10 })
}

async function sweep() {
  const name = ['short', 'supervised'].find((one) => words.includes(`--${one}`)) ?? 'demo'
  const { request, through } = await prepare(name, join(base, 'template'))
  const undisturbed = fresh('undisturbed')
  const first = await drive(undisturbed, { verb: 'run', request, point: 'survey' })
  if (first.code !== 0) throw new Error(`the undisturbed run failed: ${first.output}`)
  const wanted = { ...(await factsOf(undisturbed)), ...JSON.parse(first.output) }
  for (const sign of through)
    if (!wanted.steps.split('\n').some((line) => sign.test(line))) throw new Error(`the run has no ${sign}`)
  const points = valueAfter('--only')?.split(',') ?? partOf(pointsOf(wanted))
  say(
    `${points.length} points: ${wanted.lines} lines, ${wanted.news.length} of ${wanted.reads} looks at the clock, ${wanted.agents} agents`,
  )

  const failed = []
  let done = 0
  const waiting = [...points]
  const work = async () => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
      const problem = await problemAt(point, { request, wanted })
      if (problem !== undefined) {
        failed.push(point)
        say(`${point}: ${problem}`)
      }
      done += 1
      if (done % 25 === 0) say(`${done} of ${points.length}, ${failed.length} failed`)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  say(`${points.length - failed.length} passed, ${failed.length} failed ${failed.join(',')}`)
  return failed.length === 0 ? 0 : 1
}

/** Those after a line first: where they fail, they say most. Every tenth is killed a second time in its resume. */
function pointsOf({ lines, news, agents }) {
  const upTo = (last, when) => Array.from({ length: last }, (_, index) => `${when}:${index + 1}`)
  const before = news.map((look) => `before:${look}`)
  const once = [...upTo(agents, 'inside'), ...upTo(lines, 'after'), ...before]
  const twice = once
    .filter((_, index) => index % 10 === 0)
    .map((point, index) => `${point}+${secondKills[index % secondKills.length]}`)
  return [...once, ...twice].filter((_, index) => index % every === 0)
}

/** In pieces, for who has not the time for all of them at once. */
function partOf(points) {
  const [nth, of] = (valueAfter('--part') ?? '1/1').split('/').map(Number)
  return points.slice(Math.floor(((nth - 1) * points.length) / of), Math.floor((nth * points.length) / of))
}

async function problemAt(point, { request, wanted }) {
  const repository = fresh(point.replaceAll(':', '-'))
  const [first, second] = point.split('+')
  const killed = await drive(repository, { verb: 'run', request, point: first })
  if (killed.signal !== 'SIGKILL') return `was not killed: ${killed.output}`
  // Before its first fact a run never was.
  if (linesOf(repository).length === 0) return undefined
  const atFirst = completeAnswers(repository)
  // It may be over before it comes to the second point.
  if (second !== undefined) await drive(repository, { verb: 'resume', request, point: second })
  const complete = new Map([...completeAnswers(repository), ...atFirst])
  const resumed = await drive(repository, { verb: 'resume', request, point: 'never' })
  const isOver = /has ended \(delivered\)/.test(resumed.output)
  if (resumed.code !== 0 && !isOver) return `could not be resumed: ${resumed.output.slice(0, 1500)}`
  const problem =
    (await differenceFrom(wanted, repository)) ?? repeatedIn(repository, { complete, wanted, point })
  if (problem === undefined) rmSync(join(repository, '..'), { recursive: true, force: true, maxRetries: 10 })
  else for (const pid of processesOf(join(repository, '..'))) process.kill(Number(pid), 'SIGKILL')
  return problem
}

async function differenceFrom(wanted, repository) {
  const found = await factsOf(repository)
  const name = Object.keys(found).find((key) => found[key] !== wanted[key])
  return name && `${name} differs:\n${found[name]}\nand not\n${wanted[name]}`
}

/** An answer that was on disk is used; of the agents only those that were cut off are started again. */
function repeatedIn(repository, { complete, wanted, point }) {
  const now = completeAnswers(repository)
  for (const [call, identity] of complete)
    if (now.get(call) !== identity) return `${call} was on disk, but the agent was called again`
  const started = linesOf(repository).filter(({ type }) => type === 'agent.started').length
  const most = wanted.agents + point.split('+').length
  if (started > most) return `${started} agents were started, at most ${most} are needed`
  return undefined
}

function drive(repository, { verb, request, point }) {
  const env = { PATH: process.env.PATH, HOME: base, TMPDIR: join(repository, '..', 'tmp') }
  const child = spawn(process.execPath, [driver, verb, repository, request, point], { env })
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))
  return new Promise((resolve) => {
    // Not `close`: an agent that outlives the engine may hold its streams.
    child.once('exit', (code, signal) => setImmediate(() => resolve({ code, signal, output })))
  })
}

function fresh(name) {
  mkdirSync(join(base, name, 'tmp'), { recursive: true })
  cpSync(join(base, 'template'), join(base, name, 'till'), { recursive: true })
  return join(base, name, 'till')
}

function say(text) {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`[${String(seconds).padStart(4)} s] ${text}\n`)
}

function valueAfter(flag) {
  const at = words.indexOf(flag)
  return at === -1 ? undefined : words[at + 1]
}
