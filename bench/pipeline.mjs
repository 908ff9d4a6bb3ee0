// A whole pipeline with nine roles, an escalation and a conflict, with agents that take no time.
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFloor, layOut } from './floor-script.mjs'
import { cleanEnvironment, interleave, preloading, run } from './measure.mjs'
import { agentGits, branch, makeAgents, makeFixture, task } from './pipeline-fixture.mjs'

/**
 * `cases`: in repositories with so many `files` beside those that the task is about, and with agents that are `scripted`,
 * as they ship, or a `shell` of a few builtins in their place.
 */
export async function measurePipelines({ main, dir, rounds, cases }) {
  const rows = []
  for (const one of cases) {
    const place = join(dir, `${one.agents}-${one.files}`)
    rows.push({ ...one, ...(await measurePipeline({ main, dir: place, rounds, ...one })) })
  }
  return { rows }
}

/** Nothing is removed between the rounds: on ext4 whoever makes files next would take longer, now more and now less. */
async function measurePipeline({ main, dir, rounds, files, agents: kind }) {
  const fixture = join(dir, 'fixture')
  mkdirSync(fixture, { recursive: true })
  await makeFixture(fixture, { env: cleanEnvironment(join(fixture, 'home')), files })
  const { script, program } = makeAgents(join(dir, 'agents'))
  const place = { main, script, program: kind === 'shell' ? program : process.execPath, fixture }

  const recorded = await recordUndisturbed(place, join(dir, 'recorded'))
  const floor = makeFloor({ root: recorded.root, recordDir: recorded.out, dir: join(dir, 'floor') })
  const wanted = await tipOf(recorded.root)
  const works = join(dir, 'work')

  const side = (order) => ({
    prepare: (round) => {
      const root = freshCopy(fixture, join(works, `${order}${round}`))
      layOut({ from: recorded.root, recordDir: recorded.out, root })
      return root
    },
    act: (root) => run(['/bin/sh', floor[order], root], { cwd: root, env: {} }),
    async after(root) {
      const tip = await tipOf(root)
      if (tip !== wanted) throw new Error(`the floor ended at ${tip}, Baton at ${wanted}`)
    },
  })
  const [inTurn, sideBySide, baton] = await interleave(
    [
      side('inTurn'),
      side('sideBySide'),
      {
        prepare: (round) => freshCopy(fixture, join(works, `baton${round}`)),
        act: (root) => run(commandOf(place, 'preload-agent.cjs'), surroundings(place, root)),
      },
    ],
    rounds,
  )
  const profile = await profileRun(place, join(dir, 'profiled'))
  return { floor: inTurn, sideBySide, baton, counts: { ...floor.counts, agentGits }, profile }
}

function freshCopy(fixture, root) {
  cpSync(fixture, root, { recursive: true, preserveTimestamps: true })
  return root
}

function commandOf({ main, script }, preload) {
  const flags = ['--mode', 'bugfix', '--provider', 'scripted', '--script', script]
  return [
    process.execPath,
    ...preloading(preload),
    main,
    'run',
    ...flags,
    '--base',
    'main',
    '--from',
    'main~1',
    task,
  ]
}

function surroundings({ program }, root, more = {}) {
  const env = { ...cleanEnvironment(join(root, 'home')), BENCH_AGENT: program, ...more }
  return { cwd: join(root, 'project'), env }
}

/** A run that is held up looks at some things twice. Of three recordings the one with the fewest processes. */
async function recordUndisturbed(place, dir) {
  const records = []
  for (let round = 0; round < 3; round++) records.push(await record(place, join(dir, String(round))))
  return records.toSorted((one, other) => one.processes - other.processes)[0]
}

/** One run with the recorder in it: never timed against anything. */
async function record(place, dir) {
  const root = freshCopy(place.fixture, join(dir, 'root'))
  const out = join(dir, 'out')
  mkdirSync(out, { recursive: true })
  const more = { BENCH_ROOT: root, BENCH_RECORD: out }
  await run(commandOf(place, 'preload-record.mjs'), surroundings(place, root, more))
  const { spawns } = JSON.parse(readFileSync(join(out, 'record.json'), 'utf8'))
  return { root, out, processes: spawns.length }
}

async function tipOf(root) {
  const env = cleanEnvironment('/nonexistent')
  return (await run(['git', '-C', join(root, 'project'), 'rev-parse', branch], { cwd: root, env })).trim()
}

/** Of three runs the one in the middle: a single one may meet a hiccup of the machine. */
async function profileRun(place, dir) {
  const profiles = []
  for (let round = 0; round < 3; round++) {
    const root = freshCopy(place.fixture, join(dir, String(round)))
    const out = join(dir, `profile-${round}.json`)
    await run(commandOf(place, 'preload-profile.mjs'), surroundings(place, root, { BENCH_PROFILE: out }))
    profiles.push(profileOf(JSON.parse(readFileSync(out, 'utf8'))))
  }
  return profiles.toSorted((one, other) => one.wallMs - other.wallMs)[1]
}

/** Where the wall time of one run goes. What overlaps is counted once, for the first of: commands, syncs, the rest. */
function profileOf({ commands, others, syncs, ...rest }) {
  const git = commands.map(({ from, to }) => [from, to])
  const children = [...git, ...others]
  const firstGit = git[0]?.[0] ?? 0
  const firstRef = commands.find(({ writesRef }) => writesRef)?.from ?? 0
  const within = ([from, to], list) => lengthOf(list.map(([a, b]) => [Math.max(a, from), Math.min(b, to)]))
  return {
    gits: commands.reduce((sum, { gits }) => sum + gits, 0),
    wallMs: rest.endMs,
    bootMs: rest.bootMs,
    loadMs: firstGit - rest.bootMs,
    planMs: firstRef - firstGit - within([firstGit, firstRef], [...children, ...syncs]),
    gitMs: lengthOf(git),
    otherChildrenMs: lengthOf(children) - lengthOf(git),
    spawnMs: rest.spawnMs,
    syncMs: lengthOf([...syncs, ...children]) - lengthOf(children),
    syncs: syncs.length,
    procMs: rest.procMs,
    engineCpuMs: rest.cpuMs,
    restMs: rest.endMs - rest.bootMs - lengthOf([...syncs, ...children]),
  }
}

/** Of the union of intervals. */
function lengthOf(intervals) {
  let total = 0
  let until = 0
  for (const [from, to] of intervals.toSorted(([one], [other]) => one - other)) {
    total += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return total
}
