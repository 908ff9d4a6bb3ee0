// What an agent step costs over the tool itself, started by hand with the same prompt against the same server.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { binFolder } from '../test/agents/install.mjs'
import { cleanEnvironment, interleave, run } from './measure.mjs'

const models = { gemini: 'gemini-2.5-flash', claude: 'sonnet', codex: 'gpt-5.5' }
/** So many steps more in one run than in the other: their difference is what steps cost, without the run itself. */
const moreSteps = 2

/** Undefined for a tool that is not installed: `npm run test:agents` does that. */
export async function measureAgents({ main, dir, load, rounds, only }) {
  const results = {}
  const named = Object.keys(models).filter((kind) => only.includes(kind))
  for (const kind of named.length === 0 ? Object.keys(models) : named) {
    const isThere = existsSync(join(binFolder, kind))
    results[kind] = isThere
      ? await measureTool(kind, { main, dir: join(dir, kind), load, rounds })
      : undefined
  }
  return results
}

async function measureTool(kind, { main, dir, load, rounds }) {
  const server = await startServer(kind)
  try {
    const env = { ...cleanEnvironment(join(dir, 'home')), ...server.env }
    env.PATH = `${binFolder}:${env.PATH}`
    const project = await makeProject(dir, env)
    const baton = (mode) =>
      run(
        [process.execPath, main, 'run', 'Say that you are done', '--mode', mode].concat([
          ...['--provider', kind, '--model', models[kind], '--sandbox', 'off'],
        ]),
        { cwd: project, env },
      )
    await baton('one')
    const promptFile = join(project, '.baton/runs/1/steps/step3.1/call-1/prompt.md')
    const byHand = await handStart(kind, { dir, project, env, promptFile, load })
    const [bare, one, more] = await interleave(
      [{ act: byHand }, { act: () => baton('one') }, { act: () => baton('more') }],
      rounds,
    )
    return { bare, one, more, stepMs: (more.median - one.median) / moreSteps }
  } finally {
    server.stop()
  }
}

async function startServer(kind) {
  const file = fileURLToPath(new URL('model-server.mjs', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file, kind], {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { env: JSON.parse(line), stop: () => child.stdin.end() }
}

/** The command that the adapter makes for a step, without an engine around it. */
async function handStart(kind, { dir, project, env, promptFile, load }) {
  const { createRegistry } = await load('agents/registry.js')
  const provider = createRegistry({ path: env.PATH, cwd: project, env })(kind)
  let count = 0
  return async () => {
    const home = join(dir, `hand-${(count += 1)}`)
    mkdirSync(home, { recursive: true })
    const command = await provider.command({
      ...{ role: 'worker', title: 'WORKER', step: 'step1', visit: 1, call: 1, mayWrite: true },
      ...{ worktree: project, home, promptFile, env: {}, values: {}, model: models[kind] },
      capabilities: ['read', 'edit', 'shell', 'commit'],
    })
    const [program, ...args] = command.argv
    const stdin = openSync(command.stdinFile ?? promptFile, 'r')
    const child = spawn(program, args, { cwd: project, env: command.env, stdio: [stdin, 'ignore', 'ignore'] })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${kind}, started by hand, ended with ${code}`)
  }
}

async function makeProject(dir, env) {
  const project = join(dir, 'project')
  for (const folder of ['.baton/prompts', '.baton/workflows'])
    mkdirSync(join(project, folder), { recursive: true })
  const steps = Array.from({ length: 1 + moreSteps }, (_, index) => `step${index + 1}`)
  writeFileSync(join(project, '.baton/config.yaml'), 'workflow: steps\n')
  writeFileSync(join(project, '.baton/prompts/worker.md'), 'Do what the task says.\n')
  writeFileSync(
    join(project, '.baton/workflows/steps.yaml'),
    `name: steps
inputs: { task: { required: true } }
modes: { one: ${steps.at(-1)}, more: step1 }
roles: { worker: { prompt: worker.md, capabilities: [read, edit, shell, commit], may_write: ["**"] } }
steps:
${steps.map((id) => `  - { id: ${id}, agent: worker }\n`).join('')}  - { id: deliver, do: deliver }
`,
  )
  const git = (...args) => run(['git', ...args], { cwd: project, env })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'You')
  await git('config', 'user.email', 'you@example.invalid')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'Steps')
  return project
}
