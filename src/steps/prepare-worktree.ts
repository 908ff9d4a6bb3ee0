import { appendFile, cp, lstat, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { markPrepared } from '../git/task-workspace.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTail } from '../platform/files.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { settleLeftovers } from './set-up-leftovers.ts'
import { homeOf, ownEnvironment } from './own-home.ts'
import { runCommandInRoom } from './run-in-room.ts'
import type { Workplace } from './workplace.ts'

type Prepared = {
  readonly ports: Readonly<Record<string, string>>
  readonly copied: readonly string[]
  readonly linked: readonly string[]
  /** New files of the set-up commands, kept out of git for this task. */
  readonly excluded: readonly string[]
}

/** Files to copy or link, a port for each variable, set-up commands: so that the project's tests can run there. */
export async function prepareWorktree(
  context: DurableContext,
  workplace: Workplace,
  { task, start }: { readonly task: TaskWorkspace; readonly start: string },
): Promise<Prepared> {
  const { copy, link, setup, ports } = workplace.settings.worktree
  if (copy.length + link.length + setup.length + ports.length === 0) {
    await markPrepared(task)
    return { ports: {}, copied: [], linked: [], excluded: [] }
  }
  const ownWorktree = (chosen: Prepared['ports'], signal: AbortSignal): Furnishing => ({
    root: task.worktree,
    logs: join(workplace.folder.dir, 'setup'),
    ports: chosen,
    signal,
  })
  let isReplayed = true
  const prepared = await context.step<Prepared>('run/prepare', async ({ signal }) => {
    isReplayed = false
    const chosen = await freePorts(ports)
    const { copied, linked } = await furnish(workplace, ownWorktree(chosen, signal))
    const excluded =
      setup.length === 0 ? [] : await settleLeftovers(task, start, workplace.clock.now().toISOString())
    return { ports: chosen, copied, linked, excluded }
  })
  if (isReplayed && task.isRemade === true) {
    await appendFile(join(task.engineDir, 'info', 'exclude'), `${prepared.excluded.join('\n')}\n`)
    await furnish(workplace, ownWorktree(prepared.ports, context.signal))
  }
  await markPrepared(task)
  const commands = setup.map((argv) => argv.join(' '))
  const { ports: chosen, ...files } = prepared
  await context.record(
    'run/prepared',
    engineEvent('worktree.prepared', { ...files, ports: chosen, commands }),
  )
  return prepared
}

export interface Furnishing {
  /** The checkout to prepare. */
  readonly root: string
  /** Where the output of set-up commands is kept. */
  readonly logs: string
  readonly ports: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** What the settings bring into a checkout, in whatever folder it stands. */
export async function furnish(
  workplace: Workplace,
  furnishing: Furnishing,
): Promise<{ readonly copied: string[]; readonly linked: string[] }> {
  const { copy, link, setup } = workplace.settings.worktree
  const place = { from: workplace.repo.root, to: furnishing.root }
  const copied = await bring(copy, { ...place, how: copyOne })
  const linked = await bring(link, { ...place, how: linkOne })
  for (const [index, argv] of setup.entries()) await runSetUp(workplace, furnishing, { index, argv })
  return { copied, linked }
}

interface Bringing {
  readonly from: string
  readonly to: string
  readonly how: (from: string, to: string) => Promise<void>
}

/** What the repository tracks comes with the checkout; what does not exist in the main checkout is left out. */
async function bring(paths: readonly string[], place: Bringing): Promise<string[]> {
  const brought: string[] = []
  for (const path of paths.map(safePath)) {
    const from = join(place.from, path)
    const to = join(place.to, path)
    if (!(await unlessMissing(lstat(from))) || (await unlessMissing(lstat(to)))) continue
    await ensureDirectory(dirname(to))
    await place.how(from, to)
    brought.push(path)
  }
  return brought
}

async function copyOne(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, errorOnExist: true, force: false, verbatimSymlinks: true })
}

async function linkOne(from: string, to: string): Promise<void> {
  await symlink(from, to)
}

/** As it is given in the settings, without a trailing slash; a path that leads out is refused. */
export function safePath(path: string): string {
  const clean = normalize(path).replace(/\/+$/, '')
  if (!clean.startsWith('/') && !clean.split('/').includes('..') && clean !== '.') return clean
  throw new FailureError({
    code: 'worktree.path',
    message: `'${path}' under worktree in the settings leads out of the repository.`,
    next: 'Name files relative to the top of the repository, in .baton/config.yaml.',
  })
}

/** Asked of the operating system; two runs at the same time get different ones. */
async function freePorts(names: readonly string[]): Promise<Record<string, string>> {
  const servers = names.map(() => createServer())
  try {
    const ports: [string, string][] = []
    for (const [index, server] of servers.entries()) {
      await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
      const address = server.address()
      if (address !== null && typeof address === 'object')
        ports.push([names[index] ?? '', String(address.port)])
    }
    return Object.fromEntries(ports)
  } finally {
    for (const server of servers) server.close()
  }
}

async function runSetUp(
  workplace: Workplace,
  { root, logs, ports, signal }: Furnishing,
  { index, argv }: { readonly index: number; readonly argv: readonly [string, ...string[]] },
): Promise<void> {
  await ensureDirectory(logs)
  const log = join(logs, `${index + 1}.log`)
  const wallMs = workplace.settings.worktree.setupTimeoutMs
  const files = { stdoutFile: log, stderrFile: `${log}.err` }
  const mark = { owner: workplace.folder.dir, name: `setup/${index + 1}` }
  const home = await homeOf(workplace, root)
  const env = { ...ownEnvironment(workplace, home), ...ports }
  const place = { root, home, scratch: `${log}.tmp` }
  const request = { argv, cwd: root, env, wallMs, signal, mark, ...files }
  const hosts = workplace.settings.worktree.setupNetwork
  const { end } = await runCommandInRoom(workplace, request, { place, hosts })
  signal.throwIfAborted()
  if (end.type === 'exited' && end.code === 0) return
  const why = await complaintOf(end, log)
  throw new FailureError({
    code: 'worktree.setup',
    message: `The set-up command '${argv.join(' ')}' failed in the worktree: ${why}`,
    // A run keeps the settings it was started with, so a change of the command is for the next one.
    next: `Put it right, then: baton resume ${workplace.folder.id}   (or change worktree.setup in .baton/config.yaml and start anew; its output: ${log})`,
    exitCode: exitCodes.failed,
  })
}

async function complaintOf(end: ProcessEnd, log: string): Promise<string> {
  if (end.type === 'not_found') return `Command '${end.command}' not found`
  const how = end.type === 'exited' ? `exit code ${end.code}` : end.type
  const lines = [await readTail(log, 400), await readTail(`${log}.err`, 400)].join('\n').trim().split('\n')
  return `${how}, ${lines.at(-1) || 'and it printed nothing'}`
}
