// One attack on one layout, and whether it got through.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeUpon } from '../../src/git/worktree-tree.ts'
import { importCommits, nextSnapshotRef } from '../../src/git/import.ts'
import { FailureError } from '../../src/model/failure.ts'
import type { Room, RoomCommand, Walls } from '../../src/model/walls.ts'
import { runFolder } from '../../src/journal/run-folder.ts'
import { captureCommand } from '../../src/platform/capture.ts'
import { packageFile } from '../../src/platform/package-file.ts'
import { bubblewrap } from '../../src/sandbox/bubblewrap.ts'
import { agentRoom, checkRoom } from '../../src/steps/rooms.ts'
import { runInRoom } from '../../src/steps/run-in-room.ts'
import type { AgentCall } from '../../src/steps/agent-call.ts'
import type { Workplace } from '../../src/steps/workplace.ts'
import type { Attack } from './attack.ts'
import { hookScript, sh } from './field.ts'
import type { Field } from './field.ts'

const limits = { memoryBytes: 3e8, processes: 50, fileBytes: 2e7 }

/** Small limits, so that bombs can be small; the walls are those of a run. */
export interface Layout {
  readonly name: string
  readonly by: 'agent' | 'test'
  /** Takes a wall away. */
  readonly without?: (argv: readonly string[], field: Field) => readonly string[]
}

/** True if the attack got what it wanted with nothing in its way. */
export async function worksUnprotected(field: Field, attack: Attack): Promise<boolean> {
  await field.reset()
  writeFileSync(join(field.task.worktree, '.git'), `gitdir: ${field.task.registration}\n`)
  const before = field.digest()
  const env = { ...field.env, HOME: field.person, TOKEN: 'SECRET-VARIABLE' }
  const argv = withTerminal(attack, ['/bin/sh', '-c', attack.script])
  const { stdout } = await captureCommand(argv, { env, cwd: field.task.worktree, timeoutMs: 120_000 })
  if (attack.needsHost) {
    const look = 'git status; git diff; git log -1; git add -A; git commit -qm x; git status'
    await captureCommand(['/bin/sh', '-c', look], { env, cwd: field.task.worktree, timeoutMs: 120_000 })
    return existsSync(join(field.out, 'pwned'))
  }
  return gotThrough(attack, stdout.toString()) || field.digest() !== before
}

/** The same behind the walls, then what the engine itself does afterwards; the reason if anything got through. */
export async function breaksThrough(
  field: Field,
  attack: Attack,
  layout: Layout,
): Promise<string | undefined> {
  await field.reset()
  const { task, own } = field
  const gitDir = layout.by === 'agent' ? own.path : task.registration
  writeFileSync(join(task.worktree, '.git'), `gitdir: ${gitDir}\n`)
  const before = field.digest()
  const output = await runBehindWalls(field, attack, layout)
  if (gotThrough(attack, output)) return `printed: ${output.slice(0, 200)}`
  if (field.digest() !== before) return 'something outside was changed'
  await engineLooks(field)
  return existsSync(join(field.out, 'pwned')) ? "the engine's own git ran it" : undefined
}

function gotThrough({ bomb, daemon }: Attack, output: string): boolean {
  if (bomb !== undefined) return output.includes(bomb)
  if (daemon !== undefined) return endDaemons(daemon) > 0
  return output.includes('SECRET-')
}

async function runBehindWalls(field: Field, attack: Attack, layout: Layout): Promise<string> {
  const { task } = field
  const home = layout.by === 'agent' ? join(field.callDir, 'home') : join(field.homes, 'h')
  const log = join(field.runsDir, '1/steps/x/call-1/out')
  const request = {
    argv: ['/bin/sh', '-c', attack.script] as const,
    ...{ cwd: task.worktree, env: { ...field.env, HOME: home } },
    ...{ stdoutFile: log, stderrFile: `${log}.err`, wallMs: 120_000 },
  }
  await runInRoom({ walls: wallsOf(field, attack, layout) }, request, () => roomOf(field, layout))
  return readFileSync(log, 'utf8')
}

async function roomOf(field: Field, layout: Layout): Promise<Room> {
  const { task, own, callDir, homes } = field
  const folder = runFolder(field.runsDir, '1')
  const settings = { worktree: { link: [] }, limits }
  // What the rooms ask of a workplace, and no more.
  const site = {
    repo: task.repo,
    task,
    folder,
    settings,
    env: { PATH: field.env['PATH'], HOME: field.person },
  }
  const home = join(homes, 'h')
  const room =
    layout.by === 'agent'
      ? await agentRoom(
          { site, dir: callDir, gitDir: own.path } as unknown as AgentCall,
          { argv: ['/bin/sh'], sealed: [join(callDir, 'home', hookScript)] },
          [],
        )
      : await checkRoom(site as unknown as Workplace, {
          root: task.worktree,
          home,
          scratch: join(homes, 'tmp'),
          doors: [],
        })
  await sh(`mkdir -p ${room.scratch} && chown ${field.uid} ${room.scratch}`)
  // An ordinary user need not be able to read where this repository lies.
  return { ...room, readable: room.readable.filter((path) => !path.startsWith(packageFile(''))) }
}

function wallsOf(field: Field, attack: Attack, { without }: Layout): Walls {
  const { uid } = field
  const walls = bubblewrap({ uid, gid: uid, canDisableUserNamespaces: true, keyFilter: field.keyFilter })
  const ids = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups']
  const asUser = uid === process.getuid?.() ? [] : ['/usr/bin/setpriv', ...ids, '--']
  return {
    kind: 'bubblewrap',
    around(command, room): RoomCommand {
      const { argv, ...rest } = walls.around(command, room)
      const changed = without ? without(argv, field) : argv
      return { ...rest, argv: withTerminal(attack, [...asUser, ...changed]) }
    },
  }
}

function withTerminal({ terminal }: Attack, argv: readonly string[]): [string, ...string[]] {
  const quoted = argv.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  if (terminal === true) return ['/usr/bin/script', '-qfec', quoted, '/dev/null']
  const [first = '', ...others] = argv
  return [first, ...others]
}

/** What a run does after a step: where the branch is, what has changed, what is brought over. */
async function engineLooks({ task, own, start }: Field): Promise<void> {
  try {
    const tip = await own.tip()
    await own.close()
    await treeUpon(task, start)
    if (tip !== start)
      await importCommits(task, { from: own.path, tip, last: start, snapshot: await nextSnapshotRef(task) })
  } catch (error) {
    // Refused is as good as harmless.
    if (!(error instanceof FailureError)) throw error
  }
}

function endDaemons(word: string): number {
  const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && wordsOf(pid).includes(word))
  for (const pid of found) process.kill(Number(pid), 'SIGKILL')
  return found.length
}

/** As whole words: the script that starts it has it in the middle of one. */
function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
