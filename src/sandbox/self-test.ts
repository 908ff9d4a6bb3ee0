import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Room, Walls } from '../model/walls.ts'
import { captureCommand } from '../platform/capture.ts'

export type SelfTest =
  | { readonly type: 'holds' }
  /** The walls could not be put up at all. */
  | { readonly type: 'unusable'; readonly reason: string }
  | { readonly type: 'leaks'; readonly walls: readonly string[] }

const namespaces = ['user', 'pid', 'net', 'ipc', 'mnt'] as const

/** A room of the same make as those of agents, in which a few things are tried that must not work. */
export async function testWalls(walls: Walls): Promise<SelfTest> {
  const dir = mkdtempSync(join(tmpdir(), 'baton-walls-'))
  try {
    const place = furnish(dir)
    const { argv, env, cwd } = walls.around(
      {
        argv: ['/bin/sh', '-c', canaries, 'sh', place.outside],
        env: { PATH: '/usr/bin:/bin' },
        cwd: place.inside,
      },
      place.room,
    )
    const { code, stdout, stderr } = await captureCommand(argv, { env, cwd, timeoutMs: 20_000 })
    const lines = stdout.toString().split('\n')
    if (code !== 0 || !lines.includes('done')) return { type: 'unusable', reason: complaint(stderr, code) }
    const leaks = [...leaksIn(lines), ...(wasTouched(place) ? ['files outside of the room'] : [])]
    return leaks.length === 0 ? { type: 'holds' } : { type: 'leaks', walls: leaks }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Each line names a wall that does not hold. Kernel settings get back the value that they have. */
const canaries = `
can() { echo "leak $1"; }
(echo touched >>"$1/file") 2>/dev/null && can 'files outside of the room'
(echo touched >>.git) 2>/dev/null && can 'the pointer to the git directory'
command -p mv .git moved 2>/dev/null && can 'the name of the git directory'
(: >>/usr/baton-canary) 2>/dev/null && can 'the system folders'
pattern=$(command -p cat /proc/sys/kernel/core_pattern)
(printf '%s' "$pattern" >/proc/sys/kernel/core_pattern) 2>/dev/null && can 'kernel settings'
(: >>/proc/sysrq-trigger) 2>/dev/null && can 'the kernel trigger'
while read -r name value; do
  case $name in
    CapEff:|CapPrm:|CapBnd:) case $value in *[1-9a-f]*) can capabilities ;; esac ;;
    NoNewPrivs:) test "$value" = 1 || can 'new privileges' ;;
  esac
done </proc/self/status
for name in ${namespaces.join(' ')}; do echo "namespace $name $(command -p readlink /proc/self/ns/$name)"; done
echo done
`

interface Place {
  readonly room: Room
  readonly inside: string
  readonly outside: string
}

function furnish(dir: string): Place {
  const [inside, outside, scratch] = ['inside', 'outside', 'scratch'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [inside, outside, scratch]) mkdirSync(folder)
  writeFileSync(join(outside, 'file'), '')
  writeFileSync(join(inside, '.git'), '')
  const limits = { memoryBytes: 1024 ** 3, processes: 100, fileBytes: 1024 ** 2 }
  const bare = { readable: [], pinned: [], covered: [], doors: [] }
  return {
    ...{ inside, outside },
    room: { ...bare, writable: [inside], sealed: [join(inside, '.git')], scratch, limits },
  }
}

function leaksIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [word = '', name = '', ...rest] = line.split(' ')
    if (word === 'leak') return [[name, ...rest].join(' ')]
    const isShared = word === 'namespace' && (rest[0] === '' || rest[0] === ownNamespace(name))
    return isShared ? [`the ${name} namespace`] : []
  })
}

function ownNamespace(name: string): string {
  return readlinkSync(`/proc/self/ns/${name}`)
}

function wasTouched({ outside, inside }: Place): boolean {
  const files = [join(outside, 'file'), join(inside, '.git')]
  return files.some((file) => existsSync(file) && readFileSync(file, 'utf8') !== '')
}

function complaint(stderr: string, code: number): string {
  return stderr.trim().split('\n').at(-1) || `exit code ${code}`
}
