// Runs or resumes a task in this process and kills it with SIGKILL at a chosen point. Nothing in the product knows
// of it: it only passes its own clock and its own reader of the journal's lines.
//
//   before:n   at the nth look at the clock; every line of the journal is dated right before it is written
//   after:n    right after the nth line was written
//   inside:n   while the nth agent lives and has changed its files, but has neither committed nor answered
//   never      not at all
//   survey     not at all, but it says at which looks at the clock something was new since the point before: what a
//              process had in its memory is lost with it, so a kill where nothing is new is the same kill again
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { resumeRun } from '../../dist/cli/resume-run.js'
import { startRun } from '../../dist/cli/start-run.js'
import { systemClock } from '../../dist/platform/clock.js'
import { printOf } from './facts.mjs'

const [verb, repository, request, point] = process.argv.slice(2)
const [when, nth] = point.split(':')
const beside = join(repository, '..')

let reads = 0
let lines = 0
let agents = 0
let last = ''
const news = []
const die = () => process.kill(process.pid, 'SIGKILL')

// It stands still, so that what carries the time is the same however often the run was killed.
const standing = new Date('2030-01-01T12:00:00.000Z')

const clock = {
  ...systemClock,
  now() {
    reads += 1
    if (when === 'survey' && isNew()) news.push(reads)
    if (when === 'before' && reads === Number(nth)) die()
    return standing
  },
  steady() {
    return this.now().getTime()
  },
}

function isNew() {
  const before = last
  last = printOf(beside)
  return last !== before
}

/** The script of every agent waits at its half where it finds this file, and says so with another. */
function holdNextAgent() {
  writeFileSync(join(beside, 'hold'), '')
  setInterval(() => existsSync(join(beside, 'held')) && die(), 5)
}

const surroundings = {
  cwd: repository,
  env: { PATH: process.env.PATH, HOME: beside, XDG_CONFIG_HOME: join(beside, 'no-settings') },
  clock,
  interrupt: new AbortController().signal,
  onLine({ type }) {
    lines += 1
    if (when === 'survey') isNew()
    if (when === 'after' && lines === Number(nth)) die()
    if (type !== 'agent.started') return
    agents += 1
    if (when === 'inside' && agents === Number(nth)) holdNextAgent()
  },
}

const outcome =
  verb === 'run' ? await startRun(surroundings, JSON.parse(request)) : await resumeRun(surroundings, {})
process.stdout.write(`${JSON.stringify({ reads, news, lines, agents, exitCode: outcome.end.exitCode })}\n`)
process.exitCode = outcome.end.exitCode
