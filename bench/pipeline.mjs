// A whole pipeline with nine roles, an escalation and a conflict, with agents that take no time.
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFloor, layOut } from './floor-script.mjs'
import { cleanEnvironment, interleave, run } from './measure.mjs'
import { agentGits, branch, makeAgents, makeFixture, task } from './pipeline-fixture.mjs'

export async function measurePipeline({ main, dir, rounds }) {
  const fixture = join(dir, 'fixture')
  mkdirSync(fixture, { recursive: true })
  await makeFixture(fixture, cleanEnvironment(join(fixture, 'home')))
  const agents = makeAgents(join(dir, 'agents'))
  const place = { main, agents, fixture }

  const recorded = await record(place, join(dir, 'recorded'), 'yes')
  const floor = makeFloor({ root: recorded.root, recordDir: recorded.out, dir: join(dir, 'floor') })
  const wanted = await tipOf(recorded.root)
  const works = join(dir, 'work')

  const [base, baton] = await interleave(
    [
      {
        prepare: (round) => {
          const root = freshCopy(fixture, join(works, `floor${round}`))
          layOut({ from: recorded.root, recordDir: recorded.out, root })
          return root
        },
        act: (root) => run(['/bin/sh', floor.script, root], { cwd: root, env: {} }),
        async after(root) {
          const tip = await tipOf(root)
          if (tip !== wanted) throw new Error(`the floor ended at ${tip}, Baton at ${wanted}`)
          rmSync(root, { recursive: true })
        },
      },
      {
        prepare: (round) => freshCopy(fixture, join(works, `baton${round}`)),
        act: (root) => run(commandOf(place, 'preload-agent.mjs'), surroundings(place, root)),
        after: (root) => rmSync(root, { recursive: true }),
      },
    ],
    rounds,
  )
  const profile = profileOf((await record(place, join(dir, 'profiled'), 'no')).out)
  return { floor: base, baton, counts: { ...floor.counts, agentGits }, profile }
}

function freshCopy(fixture, root) {
  cpSync(fixture, root, { recursive: true, preserveTimestamps: true })
  return root
}

function commandOf({ main, agents }, preload) {
  const file = fileURLToPath(new URL(preload, import.meta.url))
  const flags = ['--mode', 'bugfix', '--provider', 'scripted', '--script', agents.script]
  return [
    process.execPath,
    '--import',
    file,
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

function surroundings({ agents }, root, more = {}) {
  const env = { ...cleanEnvironment(join(root, 'home')), BENCH_AGENT: agents.program, ...more }
  return { cwd: join(root, 'project'), env }
}

/** One run with the recorder in it: never timed against anything. */
async function record(place, dir, files) {
  const root = freshCopy(place.fixture, join(dir, 'root'))
  const out = join(dir, 'out')
  mkdirSync(out, { recursive: true })
  const more = { BENCH_ROOT: root, BENCH_RECORD: out, BENCH_FILES: files }
  await run(commandOf(place, 'preload-record.mjs'), surroundings(place, root, more))
  return { root, out }
}

async function tipOf(root) {
  const env = cleanEnvironment('/nonexistent')
  return (await run(['git', '-C', join(root, 'project'), 'rev-parse', branch], { cwd: root, env })).trim()
}

/** Where the wall time of one run goes. What overlaps is counted once, for the first of: children, syncs, the rest. */
function profileOf(out) {
  const { spawns, syncs, ...rest } = JSON.parse(readFileSync(join(out, 'record.json'), 'utf8'))
  const isGit = ({ file }) => file.endsWith('/git')
  const running = (list) => list.map(({ start, end }) => [start, end])
  const git = lengthOf(running(spawns.filter(isGit)))
  const children = lengthOf(running(spawns))
  const slow = syncs.map(({ from, to }) => [from, to])
  const firstSpawn = spawns[0]?.start ?? 0
  const first = spawns.find(({ args }) => args.includes('update-ref'))?.start ?? 0
  return {
    wallMs: rest.endMs,
    bootMs: rest.bootMs,
    loadMs: firstSpawn - rest.bootMs,
    planMs: first - firstSpawn,
    gitMs: git,
    otherChildrenMs: children - git,
    spawnMs: rest.spawnMs,
    spawnCpuMs: rest.spawnCpuMs,
    syncMs: lengthOf([...slow, ...running(spawns)]) - children,
    syncs: syncs.length,
    procMs: rest.procMs,
    engineCpuMs: (rest.cpu.user + rest.cpu.system) / 1000,
    restMs: rest.endMs - rest.bootMs - lengthOf([...slow, ...running(spawns)]),
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
