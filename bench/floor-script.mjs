// From a recorded run of Baton to two shell scripts that start the same git commands, agents and tests, in the same
// order, with the same arguments, environment and input, and with the same effect: they end at the same commit. One
// starts them one after the other, as scripts are written; one side by side where Baton did. What Baton wrote in
// between is written by the shell itself (printf), without a process.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { quote } from './pipeline-fixture.mjs'

/** `root` is where the run was recorded, and what is replaced by where the script is run. */
export function makeFloor({ root, recordDir, dir }) {
  const record = JSON.parse(readFileSync(join(recordDir, 'record.json'), 'utf8'))
  const place = (text) => quote(text).replaceAll(root, `'"$ROOT"'`)
  const inputs = join(dir, 'inputs')
  mkdirSync(inputs, { recursive: true })
  const units = unitsOf(record.spawns).map((spawns) => ({
    start: spawns[0].start,
    end: Math.max(...spawns.map(({ end }) => end)),
    lines: [
      ...spawns.flatMap(({ effects }) => effectLines(effects, place)),
      spawns
        .map((one) => `{ ${commandLine(one, { place, inputs, index: record.spawns.indexOf(one) })}; }`)
        .join(' | '),
    ],
  }))
  const inTurn = units.flatMap(({ lines }) => lines)
  const scripts = { inTurn, sideBySide: groupsOf(units).flatMap(besideEachOther) }
  const written = Object.entries(scripts).map(([name, lines]) => {
    const path = join(dir, `${name}.sh`)
    writeFileSync(path, `${['set -e', 'ROOT=$1', ...lines].join('\n')}\n`)
    return [name, path]
  })
  return { ...Object.fromEntries(written), counts: countsOf(record.spawns, inTurn) }
}

/** Two commands that are joined by a pipe are one. */
function unitsOf(spawns) {
  const units = []
  for (const one of spawns) {
    if (one.stdin === 'piped') units.findLast(([first]) => isWriter(first)).push(one)
    else units.push([one])
  }
  return units
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
  const plays = join(recordDir, 'plays')
  for (const file of filesBelow(plays)) {
    const target = join(root, relative(plays, file))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readFileSync(file, 'utf8').replaceAll(from, root))
  }
  const { spawns } = JSON.parse(readFileSync(join(recordDir, 'record.json'), 'utf8'))
  const checkouts = spawns.map(({ cwd }) => cwd).filter((cwd) => cwd?.includes('.clean-'))
  for (const cwd of new Set(checkouts)) mkdirSync(join(root, relative(from, cwd)), { recursive: true })
}

function below(dir) {
  const names = existsSync(dir) ? readdirSync(dir) : []
  return names.map((name) => join(dir, name)).filter((path) => statSync(path).isDirectory())
}

function filesBelow(dir) {
  const entries = existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }) : []
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** What ran at the same time stands in one group. */
function groupsOf(units) {
  const groups = []
  let until = -1
  for (const one of units) {
    if (one.start < until) groups.at(-1).push(one)
    else groups.push([one])
    until = Math.max(until, one.end)
  }
  return groups
}

/** Each is started when those have ended that had ended when Baton started it. */
function besideEachOther(group) {
  if (group.length === 1) return group[0].lines
  const running = new Set()
  const lines = []
  for (const [index, one] of group.entries()) {
    const ended = [...running].filter((other) => group[other].end <= one.start)
    for (const other of ended) running.delete(other)
    if (ended.length > 0) lines.push(`wait ${ended.map((other) => `$p${other}`).join(' ')}`)
    lines.push('{', ...one.lines, `} & p${index}=$!`)
    running.add(index)
  }
  return [...lines, 'wait']
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

function commandLine(one, { place, inputs, index }) {
  const { file, args } = unwrapped(one)
  // Objects go straight into the main repository instead of into a quarantine that is then renamed into it.
  const env = Object.entries(one.env).filter(
    ([name, value]) =>
      !(name === 'GIT_OBJECT_DIRECTORY' && value.includes('tmp_objdir')) && !name.startsWith('BENCH_'),
  )
  const set = env.map(([name, value]) => `${name}=${place(value)}`)
  const words = [...set, place(file), ...args.map((arg) => place(arg))].join(' ')
  const where = one.cwd === undefined ? '' : `cd ${place(one.cwd)}; `
  const code = one.code === 0 ? '' : ` || [ $? = ${one.code} ]`
  // The second of a pipe reads from the first, and the first of a pipe writes to it.
  return `${where}${words}${inputOf(one, { inputs, index })}${isWriter(one) ? '' : ' >/dev/null'}${code}`
}

function isWriter({ args }) {
  return args.includes('pack-objects')
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
