// Loaded into Baton once, for recording: what it starts, and what it writes in between. Never while timing.
import childProcess from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { performance } from 'node:perf_hooks'
import { bystanders } from './pipeline-fixture.mjs'

const root = process.env['BENCH_ROOT']
const out = process.env['BENCH_RECORD']
process.execPath = process.env['BENCH_AGENT'] ?? process.execPath

const record = { spawns: [] }
const real = { spawn: childProcess.spawn }
let known = {}

childProcess.spawn = function spawn(file, args, options) {
  // The shell that starts small commands would hide them: without it each is started, and recorded, by itself.
  if (file === '/bin/sh' && args.length === 0) throw new Error('commands are recorded one by one')
  keepGitDirs()
  keepPlay(args)
  const effects = effectsSince(known)
  const entry = {
    file,
    args,
    cwd: options.cwd,
    env: options.env,
    effects,
    input: undefined,
    start: 0,
    end: 0,
  }
  entry.stdin =
    typeof options.stdio[0] === 'object' ? 'piped' : options.stdio[0] === 'pipe' ? 'input' : 'none'
  record.spawns.push(entry)
  entry.start = performance.now()
  const child = real.spawn.call(this, file, args, options)
  const { stdin } = child
  if (stdin) {
    const end = stdin.end.bind(stdin)
    stdin.end = (input) => {
      entry.input = Buffer.from(input).toString('base64')
      return end(input)
    }
  }
  child.once('exit', (code) => {
    entry.end = performance.now()
    entry.code = code
    // What Baton has written meanwhile is not the doing of a git that only reads.
    if (mayWrite(entry)) known = filesNow()
  })
  return child
}

syncBuiltinESMExports()

process.on('exit', () => {
  writeFileSync(join(out, 'record.json'), JSON.stringify(record))
})

function mayWrite({ file, args }) {
  return !file.endsWith('/git') || ['merge', 'read-tree', 'worktree'].some((verb) => args.includes(verb))
}

function worktree() {
  const folder = join(root, '.worktrees')
  const [name] = existsSync(folder) ? readdirSync(folder) : []
  return name === undefined ? undefined : join(folder, name)
}

/** Contents by path of all in the task's worktree that somebody may write, its `.git` pointer included. */
function filesNow() {
  const top = worktree()
  if (top === undefined) return {}
  const entries = readdirSync(top).filter((name) => name !== bystanders && !name.startsWith('.baton'))
  const found = entries.flatMap((name) => filesIn(join(top, name)))
  return Object.fromEntries(found.map((path) => [relative(root, path), readFileSync(path, 'latin1')]))
}

function filesIn(path) {
  if (!lstatSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

/** What Baton itself has written and removed since the last process ended. */
function effectsSince(old) {
  const now = filesNow()
  const written = Object.entries(now).filter(([path, text]) => old[path] !== text)
  const removed = Object.keys(old).filter((path) => now[path] === undefined)
  known = now
  return [
    ...written.map(([path, text]) => ({ type: 'write', path, text })),
    ...removed.map((path) => ({ type: 'remove', path })),
  ]
}

/** The engine's git directory and the agents' private ones, each as it was before git first saw it. */
function keepGitDirs() {
  const state = join(root, 'project/.baton/runs/1/git')
  const privates = join(state, 'private')
  const dirs = [join(state, 'engine')]
  if (existsSync(privates)) dirs.push(...readdirSync(privates).map((name) => join(privates, name)))
  for (const dir of dirs) {
    const target = join(out, 'git', relative(state, dir))
    if (!existsSync(join(dir, 'HEAD')) || existsSync(target) || /\.(draft|tmp)/.test(dir)) continue
    mkdirSync(target, { recursive: true })
    cpSync(dir, target, { recursive: true })
  }
}

/** What a scripted agent is given to play: the floor starts it again with the same. */
function keepPlay(args) {
  const file = args.at(-1) ?? ''
  if (!file.endsWith('.json') || !file.startsWith(join(root, 'project/.baton/runs/1/steps'))) return
  const target = join(out, 'plays', relative(root, file))
  mkdirSync(dirname(target), { recursive: true })
  cpSync(file, target)
}
