// A goal under supervision that goes on for hundreds of steps: whether a step at the end takes as long as one at the
// beginning, and whether the engine needs more memory for it. The workflow is the built-in one: a goal that is found
// unmet again and again, with a new plan for the gaps each time, and a coder that asks for a sub-plan at every tenth step.
// Every step changes files that are there: how long git looks at more of them is not the question here.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, preloading, run, spread } from './measure.mjs'

const perPlan = 10
const preloads = ['preload-agent.cjs', 'preload-collections.mjs'].flatMap(preloading)

export async function measureGoal({ main, dir, steps }) {
  const env = cleanEnvironment(join(dir, 'home'))
  const project = await makeProject(dir, env)
  const rounds = Math.ceil(steps / perPlan)
  const memory = []
  const words = ['goal', 'A long way', '--provider', 'scripted', '--script', join(dir, 'script.yaml')]
  const limits = ['--time-limit', '1000h', '--max-goal-iterations', String(rounds)]
  const collections = join(dir, 'collections.json')
  const startedAt = performance.now()
  await run([process.execPath, ...preloads, main, ...words, ...limits], {
    cwd: project,
    env: { ...env, BENCH_AGENT: makeAgent(dir, rounds), BENCH_COLLECTIONS: collections },
    onSpawn: (pid) => watchMemory(pid, memory),
  })
  const wallMs = performance.now() - startedAt
  const lines = linesOf(project)
  const sample = Math.min(100, Math.floor(steps / 4))
  const items = itemsIn(lines)
  const plain = items.filter(({ id }) => !id.endsWith('x'))
  const stretches = {
    first: plain.slice(0, sample),
    second: plain.slice(sample, 2 * sample),
    last: plain.slice(-sample),
  }
  const live = JSON.parse(readFileSync(collections, 'utf8'))
  return {
    ...{ steps: items.length, subPlans: items.length - plain.length, events: lines.length, wallMs, sample },
    time: inEach(stretches, timesOf),
    memory: inEach(stretches, (part) => memoryIn(memory, part)),
    live: inEach(stretches, (part) => memoryIn(live, part)),
  }
}

function inEach(stretches, measure) {
  return Object.fromEntries(Object.entries(stretches).map(([name, items]) => [name, measure(items)]))
}

async function makeProject(dir, env) {
  const project = join(dir, 'project')
  mkdirSync(join(project, '.baton'), { recursive: true })
  for (const folder of ['src', 'test']) {
    mkdirSync(join(project, folder))
    writeFileSync(join(project, folder, '.gitkeep'), '')
  }
  writeFileSync(join(project, '.baton', 'config.yaml'), 'checks: { tests: { command: ["true"] } }\n')
  // The shell agents do not look at it; the provider wants a script all the same.
  writeFileSync(join(dir, 'script.yaml'), 'roles: { nobody: [{ answer: {} }] }\n')
  const git = (...words) => run(['git', '-C', project, ...words], { cwd: project, env })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'You')
  await git('config', 'user.email', 'you@example.invalid')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'Start')
  return project
}

/** Called as `agent scripted-agent.cjs <run>/steps/execute.1/S1/code.1/call-1/home/scripted-call.json`. */
function makeAgent(dir, rounds) {
  const program = join(dir, 'agent.sh')
  const ids = Array.from({ length: perPlan }, (_, index) => `S${index + 1}${index === 4 ? 'x' : ''}`)
  const verdict = (score, more = '') =>
    answer(
      `{"score":${score},"verified":${score > 80},"points":[{"point":"all","holds":true,"evidence":"src"}]${more}}`,
    )
  const text = `#!/bin/sh
path=\${2#*/steps/}
before=\${path%/call-*}
name=\${before##*/}
around=\${before%/*}
item=\${around##*/}
visit=\${name##*.}
case $before in
  goal.${rounds}/judge/goal) ${verdict(90)} ;;
  */judge/goal) ${verdict(60, ',"feedback":"not yet","gaps":["some more"]')} ;;
  */judge/*) ${verdict(90)} ;;
  plan.*) ${answer(planText(ids))} ;;
  */replan.*) ${answer(planText(['half']))} ;;
  */code.*)
    case $item in
      *x) ${answer('{"status":"blocked","reason":"too large"}')} ;;
      *)
        echo "exports.it = '$around'" >"src/$item.js"
        echo "require('../src/$item.js').it === '$around'" >"test/$item.test.js"
        ${answer('{"status":"done","evidence":["src"]}')} ;;
    esac ;;
  */explore.*) ${answer('{"verdict":"PASS","coverage":"all of it"}')} ;;
  *) echo "nothing for $before" >&2; exit 65 ;;
esac
`
  writeFileSync(program, text)
  chmodSync(program, 0o755)
  return program
}

function planText(ids) {
  const steps = ids.map((id) => ({
    ...{ id, description: `do ${id}`, complexity: 'simple', kind: 'code', dependsOn: [], acceptance: 'done' },
  }))
  return JSON.stringify({ goal: 'A long way', analysis: 'Some of it is done.', steps })
}

function answer(json) {
  return String.raw`printf '%s\n' '${'```json'}' '${json}' '${'```'}'`
}

/** Resident memory of the engine, with the time of day, ten times a second. */
function watchMemory(pid, samples) {
  const timer = setInterval(() => {
    try {
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
      if (kilobytes !== undefined) samples.push({ at: Date.now(), mb: Number(kilobytes) / 1024 })
    } catch {
      // It has just ended, or there is no /proc: then the table has no numbers.
    }
  }, 100)
  return () => clearInterval(timer)
}

/** The items of the plans themselves, with when they began and ended, by the journal's own times. */
function itemsIn(lines) {
  const begun = new Map()
  const items = []
  for (const { ts, type, data } of lines) {
    if (data.step !== 'execute') continue
    if (type === 'item.started') begun.set(data.item, Date.parse(ts))
    if (type === 'item.finished')
      items.push({ id: data.item, from: begun.get(data.item), to: Date.parse(ts) })
  }
  return items
}

function timesOf(items) {
  return spread(items.map(({ from, to }) => to - from))
}

function memoryIn(samples, items) {
  const [from, to] = [items[0].from, items.at(-1).to]
  return spread(samples.filter(({ at }) => at >= from && at <= to).map(({ mb }) => mb))
}

function linesOf(project) {
  const text = readFileSync(join(project, '.baton', 'runs', '1.log.jsonl'), 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line))
}
