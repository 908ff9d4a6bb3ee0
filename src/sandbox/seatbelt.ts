import type { Room, Walls } from '../model/walls.ts'

export const seatbeltProgram = '/usr/bin/sandbox-exec'

/**
 * macOS. Written to the same rooms, from what its own profiles show; there are no namespaces there, so other
 * processes can be seen (not touched), limits on memory and processes do not hold, and /tmp is the folder's own name.
 */
export function seatbelt(): Walls {
  return {
    kind: 'seatbelt',
    around: ({ argv, env, cwd }, room) => ({
      argv: [seatbeltProgram, '-p', profileFor(room), ...argv],
      env: { ...env, TMPDIR: room.scratch },
      cwd,
    }),
  }
}

/** Pure. The last rule that matches decides, so what is narrower comes later. */
export function profileFor(room: Room): string {
  const writable = [...room.writable, ...room.pinned, room.scratch]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    '(allow file-read-metadata)',
    `(allow file-read* ${systemFolders.map(subpath).join(' ')})`,
    '(deny file-read* (subpath "/Library/Keychains") (subpath "/Library/Preferences"))',
    '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    '(allow file-read* (literal "/") (literal "/dev/random") (literal "/dev/urandom"))',
    ...rules('allow file-read*', room.readable),
    ...rules('allow file-read* file-write*', writable),
    // A mount point cannot be renamed; here its name is defended instead.
    ...literals('deny file-write-unlink', [...room.writable, ...room.pinned]),
    ...rules('deny file-write*', room.sealed),
    ...rules(
      'deny file-read* file-write*',
      room.covered.map(({ path }) => path),
    ),
    ...room.doors.map(({ socket }) => `(allow network-outbound (literal ${quoted(socket)}))`),
    ...(room.doors.length === 0 ? [] : ['(allow network* (local ip "localhost:*"))']),
  ].join('\n')
}

const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/System', '/Library', '/private/etc/ssl'],
  ...[
    '/private/var/db/timezone',
    '/private/var/select',
    '/dev/fd',
    '/opt/homebrew',
    '/Applications/Xcode.app',
  ],
]

function rules(verb: string, paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [`(${verb} ${paths.map(subpath).join(' ')})`]
}

function literals(verb: string, paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [`(${verb} ${paths.map((path) => `(literal ${quoted(path)})`).join(' ')})`]
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`
}
