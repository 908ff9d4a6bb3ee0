// Runs or resumes a task in this process and kills it with SIGKILL at a chosen point: right before the nth line of
// the journal is written, or right after. Nothing in the product knows of it: it only passes its own clock and reader.
import process from 'node:process'
import { resumeRun } from '../../dist/cli/resume-run.js'
import { startRun } from '../../dist/cli/start-run.js'
import { systemClock } from '../../dist/platform/clock.js'

const [verb, repository, request, point = 'never'] = process.argv.slice(2)
const [when, nth] = point.split(':')

let reads = 0
let lines = 0
const die = () => process.kill(process.pid, 'SIGKILL')

const clock = {
  ...systemClock,
  now() {
    reads += 1
    if (when === 'before' && reads === Number(nth)) die()
    return systemClock.now()
  },
}

const surroundings = {
  cwd: repository,
  env: { PATH: process.env.PATH, HOME: repository, XDG_CONFIG_HOME: `${repository}/.git/no-settings` },
  clock,
  interrupt: new AbortController().signal,
  onLine() {
    lines += 1
    if (when === 'after' && lines === Number(nth)) die()
  },
}

const outcome =
  verb === 'run' ? await startRun(surroundings, JSON.parse(request)) : await resumeRun(surroundings, {})
process.stdout.write(
  `${JSON.stringify({ reads, lines, end: outcome.end.type, exitCode: outcome.end.exitCode })}\n`,
)
