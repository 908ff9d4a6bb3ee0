// Whether a long run stays as fast as a short one: the cost of a step from the first to the thousandth, the resume
// of the journal that they leave behind, a look at it, and a list of a thousand runs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, interleave, run, spread } from './measure.mjs'

const workflow = `name: growth
inputs: { task: { required: true }, items: { list: true } }
steps:
  - id: work
    each: items
    steps: [{ id: look, check: tests }]
  - { id: person, ask: "Go on?" }
`
/** How many steps at either end are looked at. */
const sample = 100

export async function measureGrowth({ main, dir, items, runs, rounds }) {
  const env = cleanEnvironment(join(dir, 'home'))
  const [long, short, many] = ['long', 'short', 'many'].map((name) => join(dir, name))
  for (const project of [long, short, many]) await makeProject(project, env)
  const baton = (cwd, words, mayFail) => run([process.execPath, main, ...words], { cwd, env, mayFail })
  const start = (cwd, count) =>
    // It ends with a question that nobody answers: exit code 3.
    baton(cwd, ['run', 'Grow', '--workflow', 'growth', '--input', `items=${numbers(count)}`], true)
  await start(long, items)
  await start(short, 1)
  await start(many, 30)
  copyRuns(many, runs)

  const steps = stepTimes(long)
  const [nothing, resumeShort, resumeLong, listNone, listMany, showShort, showLong] = await interleave(
    [
      { act: () => baton(long, ['--version']) },
      { act: () => baton(short, ['resume', '1'], true) },
      { act: () => baton(long, ['resume', '1'], true) },
      { act: () => baton(dir, ['--version']) },
      { act: () => baton(many, ['runs']) },
      { act: () => baton(short, ['show', '1']) },
      { act: () => baton(long, ['show', '1']) },
    ],
    rounds,
  )
  return {
    steps: { count: steps.length, first: spread(steps.slice(0, sample)), last: spread(steps.slice(-sample)) },
    resume: { events: linesOf(long).length, nothing, short: resumeShort, long: resumeLong },
    show: { events: linesOf(long).length, short: showShort, long: showLong },
    list: { runs, bytes: readFileSync(journalOf(many, 1)).length, none: listNone, many: listMany },
  }
}

async function makeProject(project, env) {
  mkdirSync(join(project, '.baton', 'workflows'), { recursive: true })
  writeFileSync(join(project, '.baton', 'workflows', 'growth.yaml'), workflow)
  writeFileSync(join(project, '.baton', 'config.yaml'), 'checks: { tests: { command: ["true"] } }\n')
  const git = (...words) => run(['git', '-C', project, ...words], { cwd: project, env })
  await git('init', '-q', '-b', 'main')
  await git('add', '-A')
  await git('-c', 'user.name=You', '-c', 'user.email=you@example.invalid', 'commit', '-q', '-m', 'Start')
}

/** Milliseconds between the beginning and the end of each item, by the journal's own times. */
function stepTimes(project) {
  const begun = new Map()
  const times = []
  for (const { ts, type, data } of linesOf(project)) {
    if (type === 'item.started') begun.set(data.item, Date.parse(ts))
    if (type === 'item.finished') times.push(Date.parse(ts) - begun.get(data.item))
  }
  return times
}

function copyRuns(project, count) {
  const journal = journalOf(project, 1)
  for (let id = 2; id <= count; id++) {
    cpSync(journal, journalOf(project, id))
    mkdirSync(join(project, '.baton', 'runs', String(id)))
  }
}

function linesOf(project) {
  return readFileSync(journalOf(project, 1), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function journalOf(project, id) {
  return join(project, '.baton', 'runs', `${id}.log.jsonl`)
}

function numbers(count) {
  return Array.from({ length: count }, (_, index) => index + 1).join(',')
}
