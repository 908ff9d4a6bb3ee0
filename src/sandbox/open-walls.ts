import { existsSync } from 'node:fs'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { Walls } from '../model/walls.ts'
import { captureCommand } from '../platform/capture.ts'
import { findExecutable } from '../platform/executable.ts'
import { bubblewrap, bubblewrapProgram } from './bubblewrap.ts'
import { seatbelt, seatbeltProgram } from './seatbelt.ts'
import { testWalls } from './self-test.ts'

export interface WallsOptions {
  readonly platform: NodeJS.Platform
  /** Where the sandbox program is; the system's own unless a test says otherwise. */
  readonly program?: string
}

/** Walls that have been seen to hold, or a refusal that says what to install. */
export async function openWalls({ platform, program }: WallsOptions): Promise<Walls> {
  if (platform === 'darwin') return openSeatbelt(program ?? seatbeltProgram)
  const path = program ?? bubblewrapProgram
  if (findExecutable(path, { cwd: '/', env: {} }) === undefined)
    throw missing(`bubblewrap is not installed (${path})`, install)
  const walls = bubblewrap({
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    canDisableUserNamespaces: await isRecent(path),
  })
  return proved(walls)
}

export async function proved(walls: Walls): Promise<Walls> {
  const result = await testWalls(walls)
  if (result.type === 'holds') return walls
  if (result.type === 'unusable')
    throw missing(`bubblewrap cannot make a sandbox here: ${result.reason}`, allow)
  throw new FailureError({
    code: 'sandbox.leaks',
    message: `The sandbox does not hold: from inside one can reach ${result.walls.join(', ')}.`,
    next: 'Do not run agents on this machine with it. Report it, with the version of bubblewrap and of the kernel.',
    exitCode: exitCodes.security,
  })
}

/** Profiles are tried by the system itself; there is nothing that could be probed without running one. */
function openSeatbelt(program: string): Walls {
  if (existsSync(program)) return seatbelt()
  throw missing(`${program} is missing`, without)
}

const without = 'To go on without walls, at your own risk: --sandbox off'
const install = `sudo apt install bubblewrap   (or: dnf install bubblewrap, pacman -S bubblewrap). ${without}`
const allow = `Allow user namespaces (in a container: --security-opt seccomp=unconfined). ${without}`

function missing(message: string, next: string): FailureError {
  return new FailureError({
    code: 'sandbox.missing',
    message: `The sandbox is required, but ${message}.`,
    next,
  })
}

async function isRecent(program: string): Promise<boolean> {
  const { stdout } = await captureCommand([program, '--version'], { env: {} })
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(stdout.toString()) ?? []
  return Number(major) > 0 || Number(minor) >= 8
}
