import { appendFile, cp, lstat, mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { markPrepared } from '../git/task-workspace.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTail } from '../platform/files.ts'
import { runProcess } from '../platform/process.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { settleLeftovers } from './set-up-leftovers.ts'
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
  let isReplayed = true
  const prepared = await context.step<Prepared>('run/prepare', async ({ signal }) => {
    isReplayed = false
    const chosen = await freePorts(ports)
    const { copied, linked } = await makeReady(workplace, { task, ports: chosen, signal })
    const excluded =
      setup.length === 0 ? [] : await settleLeftovers(task, start, workplace.clock.now().toISOString())
    return { ports: chosen, copied, linked, excluded }
  })
  if (isReplayed && task.isRemade === true) {
    await appendFile(join(task.engineDir, 'info', 'exclude'), `${prepared.excluded.join('\n')}\n`)
    await makeReady(workplace, { task, ports: prepared.ports, signal: context.signal })
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

interface Readying {
  readonly task: TaskWorkspace
  readonly ports: Prepared['ports']
  readonly signal: AbortSignal
}

async function makeReady(
  workplace: Workplace,
  { task, ports, signal }: Readying,
): Promise<Pick<Prepared, 'copied' | 'linked'>> {
  const { copy, link, setup } = workplace.settings.worktree
  const copied = await bring(copy, { workplace, task, how: copyOne })
  const linked = await bring(link, { workplace, task, how: linkOne })
  for (const [index, argv] of setup.entries()) {
    await runSetUp({ workplace, task, index, argv, env: { ...workplace.env, ...ports }, signal })
  }
  return { copied, linked }
}

interface Bringing {
  readonly workplace: Workplace
  readonly task: TaskWorkspace
  readonly how: (from: string, to: string) => Promise<void>
}

/** What the repository tracks comes with the checkout; what does not exist in the main checkout is left out. */
async function bring(paths: readonly string[], { workplace, task, how }: Bringing): Promise<string[]> {
  const brought: string[] = []
  for (const path of paths.map(safePath)) {
    const from = join(workplace.repo.root, path)
    const to = join(task.worktree, path)
    if (!(await unlessMissing(lstat(from))) || (await unlessMissing(lstat(to)))) continue
    await mkdir(dirname(to), { recursive: true })
    await how(from, to)
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

interface SetUp {
  readonly workplace: Workplace
  readonly task: TaskWorkspace
  readonly index: number
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

async function runSetUp({ workplace, task, index, argv, env, signal }: SetUp): Promise<void> {
  const dir = join(workplace.folder.dir, 'setup')
  await ensureDirectory(dir)
  const log = join(dir, `${index + 1}.log`)
  const wallMs = workplace.settings.worktree.setupTimeoutMs
  const files = { stdoutFile: log, stderrFile: `${log}.err` }
  const mark = `${workplace.folder.dir}:setup/${index + 1}`
  const { end } = await runProcess({ argv, cwd: task.worktree, env, wallMs, signal, mark, ...files })
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
