// Disks that are full or read-only, for real: in a mount namespace of its own, which takes its mounts with it.
import { spawn } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { program } from './baton.ts'
import type { Ended } from './baton.ts'
import { makeFolder } from '../support/git.ts'

/** As root, or as root of a user namespace; undefined where the machine allows neither. */
const enter = [['unshare', '-m'] as const, ['unshare', '-Urm'] as const].find(
  ([command, ...args]) =>
    spawnSync(command, [...args, 'sh', '-c', 'mount -t tmpfs -o size=16k none /mnt']).status === 0,
)

export const canMount = enter !== undefined

const prelude = `set -u
baton() { name=$1; shift; node '${program}' "$@" >"$OUT/$name.out" 2>"$OUT/$name.err"; echo $? >"$OUT/$name.code"; }
`

/**
 * Runs a shell script in the folder. In it, \`baton NAME words...\` types a command and keeps what comes of it under
 * that name; \`$DISK\` is an empty folder to mount on, \`$OUT\` one that stays.
 */
export async function withMounts(cwd: string, script: string): Promise<(name: string) => Promise<Ended>> {
  const folder = await makeFolder()
  const place = { DISK: join(folder, 'disk'), OUT: join(folder, 'out') }
  for (const path of Object.values(place)) await mkdir(path)
  const [command = '', ...args] = enter ?? ['sh']
  const child = spawn(command, [...args, 'sh', '-c', `${prelude}${script}`], {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: folder, ...place },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`the script ended with ${code}: ${complaints}`)
  const read = (file: string): Promise<string> => readFile(join(place.OUT, file), 'utf8')
  return async (name) => ({
    code: Number(await read(`${name}.code`)),
    stdout: await read(`${name}.out`),
    stderr: await read(`${name}.err`),
  })
}
