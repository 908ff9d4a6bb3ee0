// What is looked at after a run: everything that must be the same however often it was killed.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

export function journalOf(repository) {
  return join(repository, '.baton', 'runs', '1.log.jsonl')
}

export function linesOf(repository) {
  const text = existsSync(journalOf(repository)) ? readFileSync(journalOf(repository), 'utf8') : ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).trim()
  return whole === '' ? [] : whole.split('\n').map((line) => JSON.parse(line))
}

/** Each fact is a text; two runs are the same if all of them are. */
export async function factsOf(repository) {
  const beside = join(repository, '..')
  const git = (dir, ...words) =>
    execFileSync('git', ['-C', dir, ...words], { encoding: 'utf8', env: { PATH: process.env.PATH } }).trim()
  const lines = linesOf(repository)
  const ends = lines.filter(({ type }) => type === 'step.finished').map(({ data }) => data)
  const { branch, worktree } = lines.find(({ type }) => type === 'branch.created').data
  const shown = (text) => text.replaceAll(beside, '')
  const refs = git(repository, 'for-each-ref', '--format=%(refname)').split('\n')
  return {
    steps: ends
      .map(({ step, visit, outcome, label }) => `${step}#${visit} ${outcome} ${label ?? ''}`)
      .join('\n'),
    // Tree, number of parents and subject of every commit, so also how many there are and what each changes.
    commits: git(repository, 'log', '--topo-order', '--format=%T %p %s', branch)
      .split('\n')
      .map(withoutIds)
      .join('\n'),
    tree: git(repository, 'ls-tree', '-r', branch),
    main: git(repository, 'rev-parse', 'main'),
    refs: refs.filter((ref) => !ref.startsWith('refs/baton/1/')).join('\n'),
    worktrees: shown(git(repository, 'worktree', 'list', '--porcelain')).replaceAll(/^HEAD .*$/gm, ''),
    registrations: readdirSync(join(repository, '.git', 'worktrees')).join('\n'),
    folders: readdirSync(join(beside, '.worktrees')).join('\n'),
    pointer: shown(readFileSync(join(worktree, '.git'), 'utf8')),
    unsaved: git(worktree, 'status', '--short', '--ignored'),
    unsavedInMain: git(repository, 'status', '--short'),
    broken: git(repository, 'fsck', '--no-dangling', '--no-progress'),
    strays: strays(beside).join('\n'),
    report: reportOf(repository),
    temporary: await untilNone(() => readdirSync(join(beside, 'tmp'))),
    processes: await untilNone(() => processesOf(beside)),
  }
}

/** Where the workflow has one. What was used is told by call, and who was killed was called twice. */
function reportOf(repository) {
  const file = join(repository, '.baton', 'runs', '1', 'report.md')
  return existsSync(file) ? readFileSync(file, 'utf8').replace(/## Cost\n[^]*?(?=\n## |$)/, '') : 'none'
}

/** Commit ids carry the time at which an agent committed; how many parents there are does not. */
function withoutIds(line) {
  const [tree, ...rest] = line.split(' ')
  const parents = rest.findIndex((word) => !/^[0-9a-f]{7,40}$/.test(word))
  return [tree, parents, ...rest.slice(parents)].join(' ')
}

/** Locks and half-written files, wherever they are. */
function strays(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return names
    .filter(({ name }) => /^lock$|\.lock$|\.takeover$|\.tmp$|^tmp_|\.draft|^hold$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
    .toSorted()
}

/** What ends with the engine has the time that a shell needs to see its pipe closed. */
async function untilNone(look) {
  for (let tries = 0; tries < 3000; tries++) {
    if (look().length === 0) return ''
    await sleep(10)
  }
  return look().join(' ')
}

/** By the mark that everything inherits, and by the folder it works in: a process may have thrown its environment away. */
export function processesOf(beside) {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOf(pid, beside))
}

function isOf(pid, beside) {
  try {
    if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`BATON_MARK=${beside}/`)) return true
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${beside}/`)
  } catch {
    return false // gone, or not ours to look at
  }
}

/** Everything that outlives a process: files, and what it has started. Two points with the same print are one. */
export function printOf(beside) {
  const files = pathsIn(beside).map((path) => `${path} ${stampOf(join(beside, path))}`)
  return [...files, ...processesOf(beside)].join('\n')
}

/** Folders that were discarded may go while they are looked at. */
function pathsIn(folder) {
  for (;;) {
    try {
      return readdirSync(folder, { recursive: true })
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

function stampOf(path) {
  const { ino, size, ctimeNs } = lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? {}
  return `${ino} ${size} ${ctimeNs}`
}

/** The calls whose answer is complete on disk, each with what tells the file from one that is written anew. */
export function completeAnswers(repository) {
  const steps = join(repository, '.baton', 'runs', '1', 'steps')
  if (!existsSync(steps)) return new Map()
  const found = readdirSync(steps, { recursive: true }).filter((path) => basename(path) === 'exit.json')
  return new Map(found.map((path) => [path, identityOf(join(steps, path))]))
}

function identityOf(path) {
  const { ino, ctimeNs } = statSync(path, { bigint: true })
  return `${ino} ${ctimeNs}`
}
