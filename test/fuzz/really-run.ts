// Runs shell programs in a real bash, in a room of their own, with a stand-in for git that notes how it was called.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Room } from '../../src/model/walls.ts'
import { runProcess } from '../../src/platform/process.ts'
import { bubblewrap } from '../../src/sandbox/bubblewrap.ts'
import type { GitCall } from './git-calls.ts'

interface Place {
  readonly dir: string
  readonly work: string
  readonly bin: string
}

/** Never more than these, whatever a program does: the kernel counts, and so does the process that waits. */
const limits = { memoryBytes: 1e9, processes: 40, fileBytes: 1e6 }

/** One room for many programs, one after the other, each in a folder of its own. */
export async function reallyRun(programs: ReadonlyMap<number, string>): Promise<GitCall[]> {
  const place = makePlace(programs)
  try {
    const out = join(place.dir, 'out')
    const { end } = await runProcess({
      ...insideRoom(place, [...programs.keys()].map(String)),
      ...{ stdoutFile: out, stderrFile: join(place.dir, 'err'), wallMs: 600_000, ceiling: limits },
    })
    if (end.type !== 'exited' || end.code !== 0) {
      const last = programs.get(Number(readFileSync(join(place.work, 'current'), 'utf8')))
      throw new Error(`the room ended (${JSON.stringify(end)}) in: ${last}`)
    }
    if (readFileSync(out, 'utf8') !== `${programs.size} programs\n`) throw new Error('not all were run')
    return readCalls(place)
  } finally {
    rmSync(place.dir, { recursive: true, force: true, maxRetries: 10 })
  }
}

function makePlace(programs: ReadonlyMap<number, string>): Place {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'baton-fuzz-')))
  const place = { dir, work: join(dir, 'ground'), bin: join(dir, 'bin') }
  for (const folder of [dir, place.work, place.bin, join(dir, 'scratch')]) openFolder(folder)
  for (const name of ['git', 'git-push', 'git-config', 'git-reset']) {
    writeFileSync(join(place.bin, name), standIn(place))
    chmodSync(join(place.bin, name), 0o755)
  }
  for (const [number, program] of programs) {
    const folder = join(place.work, String(number))
    openFolder(folder)
    writeFileSync(join(folder, 'a.txt'), 'a\n')
    writeFileSync(join(dir, `program-${number}`), program)
  }
  writeFileSync(join(dir, 'driver'), driver)
  return place
}

function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
}

type Inside = Pick<Parameters<typeof runProcess>[0], 'argv' | 'env' | 'cwd'>

/** As an ordinary user, since the kernel counts no processes of root. */
function insideRoom(place: Place, numbers: readonly string[]): Inside {
  const self = process.getuid?.() ?? 0
  const uid = self === 0 ? nobody : self
  const gid = self === 0 ? nobody : (process.getgid?.() ?? 0)
  const scratch = join(place.dir, 'scratch')
  const room: Room = {
    ...{ readable: [place.dir], writable: [place.work], pinned: [], sealed: [], doors: [], scratch, limits },
    covered: [
      { path: '/usr/bin/git', by: join(place.bin, 'git') },
      { path: '/usr/lib/git-core', by: place.bin },
    ],
  }
  const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', LC_ALL: 'C' }
  const argv = ['/bin/bash', join(place.dir, 'driver'), place.dir, ...numbers] as const
  const inside = bubblewrap({ uid, gid, canDisableUserNamespaces: true }).around(
    { argv: [...argv], env, cwd: place.work },
    room,
  )
  if (self !== 0) return inside
  const ids = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups']
  return { ...inside, argv: ['/usr/bin/setpriv', ...ids, '--', ...inside.argv] }
}

const nobody = 65_534

/**
 * Everything that a program starts has descriptor 9, the end of a pipe: the next program begins only when all have
 * closed it, so that no call is put down to another program.
 */
const driver = `dir=$1
shift
for number in "$@"; do
  cd "$dir/ground/$number" || exit 1
  echo "$number" >"$dir/ground/current"
  program=$(<"$dir/program-$number")
  timeout -k 1 5 bash -c "$program" 9>&1 </dev/null >/dev/null 2>/dev/null | cat >/dev/null
done
echo "$# programs"
`

/** One line of its own sort: the program, the name it was called by, where it stood, variables of git, its words. */
function standIn({ work }: Place): string {
  return `#!/bin/sh
read -r number <${work}/current
set="\${GIT_DIR+GIT_DIR}\${GIT_WORK_TREE+GIT_WORK_TREE}\${GIT_CONFIG_COUNT+GIT_CONFIG_COUNT}"
printf '%s${between}' "$number" "\${0##*/}" "$PWD" "$set" "$@" '${after}' >>${work}/calls
echo main
`
}

const between = '\u001F'
const after = '\u001E'

function readCalls({ work }: Place): GitCall[] {
  const calls = join(work, 'calls')
  const text = existsSync(calls) ? readFileSync(calls, 'utf8') : ''
  const records = text.split(after + between).filter((record) => record !== '')
  return records.map((record) => {
    const [program = '', name = '', cwd = '', variables = '', ...args] = record.split(between)
    const worktree = join(work, program)
    return { program: Number(program), name, cwd, worktree, variables, args: args.slice(0, -1) }
  })
}
