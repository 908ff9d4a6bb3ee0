// How much of a core the moving lines take while a run has nothing to say: an agent that sleeps, a terminal of its own
// (`script` of util-linux), and the CPU time of the engine alone, from /proc.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from './measure.mjs'
import { makeFixture } from './pipeline-fixture.mjs'

const workflow = `name: idle
inputs: { task: { required: true } }
roles: { sleeper: { title: SLEEPER, prompt: sleeper.md, capabilities: [read], timeout: { wall: 1h, idle: 1h } } }
steps: [{ id: sleep, agent: sleeper }]
`

export async function measureTerminal({ main, dir, seconds }) {
  const env = { ...cleanEnvironment(join(dir, 'home')), TERM: 'xterm' }
  mkdirSync(dir, { recursive: true })
  await makeFixture(dir, { env })
  write(join(dir, 'home/.config/baton/workflows/idle.yaml'), workflow)
  write(join(dir, 'home/.config/baton/prompts/sleeper.md'), 'Sleep.\n')
  write(join(dir, 'script.yaml'), 'roles: { sleeper: [{ delay: 1h, answer: { done: true } }] }\n')
  const measure = (...flags) => watchIdle({ main, dir, env, seconds, flags })
  return { seconds, live: await measure(), plain: await measure('--plain') }
}

async function watchIdle({ main, dir, env, seconds, flags }) {
  const words = [
    'run',
    ...flags,
    '-w',
    'idle',
    '--provider',
    'scripted',
    '--script',
    join(dir, 'script.yaml'),
    'Idle',
  ]
  const line = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', `exec ${line}`, '/dev/null'],
    {
      cwd: join(dir, 'project'),
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let printed = 0
  child.stdout.on('data', (chunk) => (printed += chunk.length))
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const agent = await agentOf(dir)
    const engine = parentOf(parentOf(agent))
    const [cpuBefore, printedBefore] = [cpuOf(engine), printed]
    await sleep(seconds * 1000)
    return { cpuMs: cpuOf(engine) - cpuBefore, printed: printed - printedBefore }
  } finally {
    // Ctrl-C, as a person would.
    child.stdin.write('\u0003')
    await ended
  }
}

/** The sleeping agent, once it is there and the engine has come to rest. */
async function agentOf(dir) {
  for (let tries = 0; tries < 600; tries++) {
    await sleep(100)
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isAgent(name, dir))
    if (pid === undefined) continue
    await sleep(2000)
    return pid
  }
  throw new Error('no agent was started')
}

function isAgent(pid, dir) {
  const words = textOf(`/proc/${pid}/cmdline`).split('\0')
  return (words[1] ?? '').endsWith('scripted-agent.cjs') && words.some((word) => word.startsWith(dir))
}

function parentOf(pid) {
  return fieldsOf(pid)[1]
}

function cpuOf(pid) {
  const fields = fieldsOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function fieldsOf(pid) {
  const text = textOf(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function textOf(path) {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
