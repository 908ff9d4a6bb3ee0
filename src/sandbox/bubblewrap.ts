import { nothing } from '../model/walls.ts'
import type { Limits, Room, RoomCommand, Walls } from '../model/walls.ts'
import { packageFile } from '../platform/package-file.ts'
import { keyFilterFile } from './key-filter.ts'
import { coveredFiles, systemMounts } from './system-mounts.ts'

/** The system's own: where user namespaces are restricted, only this path is allowed to make them. */
export const bubblewrapProgram = '/usr/bin/bwrap'

export interface BubblewrapTraits {
  /** Of the person, who also owns what the room writes. */
  readonly uid: number
  readonly gid: number
  /** From version 0.8 on. */
  readonly canDisableUserNamespaces: boolean
  /** Another file than that of the program: for somebody who cannot read that. */
  readonly keyFilter?: string
}

export function bubblewrap(traits: BubblewrapTraits): Walls {
  return {
    kind: 'bubblewrap',
    around: (command, room) => ({
      argv: [...filtered(traits), ...argumentsFor(traits, command, room)],
      // Process 1 of the room shows the environment that bubblewrap was started with: it must be the room's own.
      env: withoutLoader(command.env),
      cwd: command.cwd,
    }),
  }
}

/** Bubblewrap takes the filter from a descriptor, and a shell can give it one; of the shell's own variables it sees none. */
function filtered({ keyFilter = keyFilterFile(process.arch) }: BubblewrapTraits): [string, ...string[]] {
  if (keyFilter === undefined) return [bubblewrapProgram]
  const opening = `exec ${filterDescriptor}<"$0" && unset PWD OLDPWD SHLVL _ && exec "$@"`
  return ['/bin/sh', '-c', opening, keyFilter, bubblewrapProgram, '--seccomp', filterDescriptor]
}

const filterDescriptor = '9'

function argumentsFor(traits: BubblewrapTraits, { argv, env, cwd }: RoomCommand, room: Room): string[] {
  return [
    ...namespaces(traits),
    ...systemMounts(),
    ...kernelMounts(room),
    ...room.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[...room.writable, ...room.pinned].flatMap((path) => ['--bind', path, path]),
    ...room.sealed.flatMap((path) => ['--ro-bind', path, path]),
    ...room.covered.flatMap(({ path, by }) => ['--ro-bind', by, path]),
    ...room.doors.flatMap(({ socket }, index) => ['--ro-bind', socket, doorPath(index)]),
    // Folders that exist only to hold mounts are nobody's to write.
    ...['--remount-ro', '/'],
    ...loaderVariables(env),
    ...['--chdir', cwd, '--', '/bin/sh', '-c', limiting(room.limits), 'sh'],
    ...relay(room),
    ...argv,
  ]
}

/**
 * All of them, and the user namespace by name: for root, bubblewrap would leave it out and keep every capability.
 * Whoever is root outside is an ordinary user inside; some agent tools refuse to work as root.
 */
function namespaces({ uid, gid, canDisableUserNamespaces }: BubblewrapTraits): string[] {
  return [
    ...['--unshare-all', '--unshare-user'],
    ...['--uid', String(uid === 0 ? ordinaryId : uid), '--gid', String(gid === 0 ? ordinaryId : gid)],
    ...['--cap-drop', 'ALL', ...(canDisableUserNamespaces ? ['--disable-userns'] : [])],
    ...['--die-with-parent', '--new-session', '--hostname', 'baton'],
  ]
}

const ordinaryId = 1000

/**
 * Without capabilities a process whose user is root outside may still write kernel settings, since those look at the
 * user alone: /proc/sys is mounted again, read-only, and the other doors into the kernel are covered.
 */
function kernelMounts({ scratch, limits }: Room): string[] {
  const shared = String(Math.min(limits.memoryBytes, largestShared))
  return [
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...coveredFiles().flatMap((path) => ['--ro-bind', nothing, path]),
    ...['--dev', '/dev', '--perms', '1777', '--size', shared, '--tmpfs', '/dev/shm'],
    ...['--dir', '/run', '--bind', scratch, '/tmp', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
  ]
}

const largestShared = 1024 ** 3

/** These would work on bubblewrap itself, outside of the walls; inside they are set by it. */
function isLoader(name: string): boolean {
  return name.startsWith('LD_')
}

function withoutLoader(env: RoomCommand['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLoader(name)))
}

function loaderVariables(env: RoomCommand['env']): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isLoader(name) ? ['--setenv', name, value] : []))
}

/**
 * Counted per room, because the user namespace is the room's own: processes of the same person outside do not count.
 * Where memory runs out all the same, the kernel shall take from here first.
 */
function limiting({ processes, fileBytes }: Limits): string {
  const blocks = Math.ceil(fileBytes / 512)
  return [
    `ulimit -c 0; ulimit -f ${blocks}`,
    // bash says -u, dash says -p.
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null || :`,
    'echo 500 2>/dev/null >/proc/self/oom_score_adj || :',
    'unset OLDPWD SHLVL; exec "$@"',
  ].join('\n')
}

function doorPath(index: number): string {
  return `/run/baton/door-${index + 1}`
}

function relay({ doors }: Room): string[] {
  if (doors.length === 0) return []
  const table = doors.map(({ port }, index) => `${port}=${doorPath(index)}`)
  return [process.execPath, relayProgram(), ...table, '--']
}

/** Has to be readable in a room that has doors. */
function relayProgram(): string {
  return packageFile('dist/platform/relay.js')
}
