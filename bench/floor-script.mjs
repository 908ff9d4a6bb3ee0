// From a recorded run of Baton to a shell script that starts the same git commands, agents and tests, in the same
// order, side by side where Baton did, with the same arguments, environment and input, and with the same effect: it
// ends at the same commit. What Baton wrote in between is written by the shell itself (printf), without a process.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { quote } from './pipeline-fixture.mjs'

/** `root` is where the run was recorded, and what is replaced by where the script is run. */
export function makeFloor({ root, recordDir, dir }) {
  const record = JSON.parse(readFileSync(join(recordDir, 'record.json'), 'utf8'))
  const place = (text) => quote(text).replaceAll(root, `'"$ROOT"'`)
  const inputs = join(dir, 'inputs')
  mkdirSync(inputs, { recursive: true })
  const lines = ['set -e', 'ROOT=$1']
  let cwd = ''
  for (const group of groupsOf(record.spawns)) {
    for (const { effects } of group) lines.push(...effectLines(effects, place))
    const [first] = group
    if (group.some((one) => one.cwd !== first.cwd)) cwd = ''
    else if (first.cwd !== cwd) lines.push(`cd ${place((cwd = first.cwd))}`)
    const commands = group.map((one) =>
      commandLine(one, { place, inputs, index: record.spawns.indexOf(one), cwd }),
    )
    lines.push(...joined(group, commands))
  }
  writeFileSync(join(dir, 'floor.sh'), `${lines.join('\n')}\n`)
  return { script: join(dir, 'floor.sh'), counts: countsOf(record.spawns, lines) }
}

/** The engine's and the agents' git directories as Baton made them by plain file writes: laid out before the clock runs. */
export function layOut({ from, recordDir, root }) {
  const state = join(root, 'project/.baton/runs/1/git')
  const kept = join(recordDir, 'git')
  cpSync(kept, state, { recursive: true, preserveTimestamps: true })
  for (const dir of [join(state, 'engine'), ...below(join(state, 'private'))]) {
    const file = join(dir, 'objects/info/alternates')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, root))
  }
  // Folders only: a diff is written there by git itself.
  for (const step of below(join(from, 'project/.baton/runs/1/steps'))) {
    mkdirSync(join(root, relative(from, step), 'call-1'), { recursive: true })
  }
  const { spawns } = JSON.parse(readFileSync(join(recordDir, 'record.json'), 'utf8'))
  const checkouts = spawns.map(({ cwd }) => cwd).filter((cwd) => cwd?.includes('.clean-'))
  for (const cwd of new Set(checkouts)) mkdirSync(join(root, relative(from, cwd)), { recursive: true })
}

function below(dir) {
  const names = existsSync(dir) ? readdirSync(dir) : []
  return names.map((name) => join(dir, name)).filter((path) => statSync(path).isDirectory())
}

/** Processes that ran at the same time stand in one group. */
function groupsOf(spawns) {
  const groups = []
  let until = -1
  for (const one of spawns) {
    if (one.start < until) groups.at(-1).push(one)
    else groups.push([one])
    until = Math.max(until, one.end)
  }
  return groups
}

function joined(group, commands) {
  if (group.length === 1) return commands
  if (group[1].stdin === 'piped') return [commands.map((command) => `{ ${command}; }`).join(' | ')]
  return [...commands.map((command) => `{ ${command}; } &`), 'wait']
}

function effectLines(effects, place) {
  const removed = effects.filter(({ type }) => type === 'remove').map(({ path }) => `"$ROOT"/${quote(path)}`)
  const written = effects.filter(({ type }) => type === 'write')
  return [
    ...written.map(({ path, text }) => {
      return `printf %s ${place(Buffer.from(text, 'latin1').toString())} >"$ROOT"/${quote(path)}`
    }),
    ...(removed.length === 0 ? [] : [`rm ${removed.join(' ')}`]),
  ]
}

function commandLine(one, { place, inputs, index, cwd }) {
  const { file, args } = unwrapped(one)
  // Objects go straight into the main repository instead of into a quarantine that is then renamed into it.
  const env = Object.entries(one.env).filter(
    ([name, value]) =>
      !(name === 'GIT_OBJECT_DIRECTORY' && value.includes('tmp_objdir')) && !name.startsWith('BENCH_'),
  )
  const set = env.map(([name, value]) => `${name}=${place(value)}`)
  const words = [...set, place(file), ...args.map((arg) => place(arg))].join(' ')
  const where = cwd === '' && one.cwd !== undefined ? `cd ${place(one.cwd)}; ` : ''
  const code = one.code === 0 ? '' : ` || [ $? = ${one.code} ]`
  // The second of a pipe reads from the first, and the first of a pipe writes to it.
  const isWriter = args.includes('pack-objects')
  return `${where}${words}${inputOf(one, { inputs, index })}${isWriter ? '' : ' >/dev/null'}${code}`
}

/** Without the shell that Baton puts around what it starts, to mark it and to record its exit code: Baton's own price. */
function unwrapped({ file, args }) {
  if (file !== '/bin/sh') return { file, args }
  // -c, the script, its name, a limit; around an agent also the file for the exit code.
  const [program, ...rest] = args.slice(isAgent({ file, args }) ? 5 : 4)
  return { file: program, args: rest }
}

function isAgent({ file, args }) {
  return file === '/bin/sh' && args[1].includes('{"code":')
}

function inputOf({ stdin, input }, { inputs, index }) {
  if (stdin === 'piped') return ''
  if (input === undefined) return ' </dev/null'
  const path = join(inputs, String(index))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.from(input, 'base64'))
  return ` <${quote(path)}`
}

function countsOf(spawns, lines) {
  const agents = spawns.filter(isAgent).length
  const git = spawns.filter(({ file }) => file.endsWith('/git')).length
  const removers = spawns.filter(({ file }) => file.endsWith('/rm')).length
  const others = lines.filter((line) => line.startsWith('rm ')).length
  const tests = spawns.length - git - agents - removers
  return { git, agents, tests, removals: removers + others, removers }
}
