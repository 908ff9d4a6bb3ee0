// Rooms for the engine's git where an agent can write. Which room a git directory belongs to is known by its place, so
// that no call can forget it.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RoomCommand } from '../model/walls.ts'
import type { PipedCommand } from '../platform/capture.ts'
import { openShell, takeLiving } from '../platform/resident-shell.ts'
import type { ResidentShell, ShellAnswer } from '../platform/resident-shell.ts'
import type { ShellCommand, ShellPlan } from '../platform/shell-script.ts'

export interface Confinement {
  /** Of the run: every git directory in it is the engine's for this run, or an agent's. */
  readonly stateDir: string
  /** A shell in a room where the run's git directories and this work tree, if any, can be written. */
  readonly enclose: (
    shell: readonly [string, ...string[]],
    workTree: string | undefined,
  ) => Promise<RoomCommand>
}

export interface GitRoom {
  /** Two commands are run in turn, see `ShellPlan`. */
  run<T>(
    commands: readonly [PipedCommand] | readonly [PipedCommand, PipedCommand],
    workTree: string | undefined,
    take: (answer: ShellAnswer) => Promise<T> | T,
  ): Promise<T>
}

interface Confined extends GitRoom {
  close(): void
}

/** Ambient, since it may only be stricter than without: git in these directories is started in the room, or not at all. */
const confined = new Map<string, Confined>()

/** From now until it is closed. */
export function confineGit(confinement: Confinement): { close(): void } {
  const { stateDir } = confinement
  const room = roomsOf(confinement)
  confined.set(stateDir, room)
  return {
    close() {
      if (confined.get(stateDir) === room) confined.delete(stateDir)
      room.close()
    },
  }
}

export function roomOf(gitDir: string): GitRoom | undefined {
  for (const [stateDir, room] of confined) if (gitDir.startsWith(`${stateDir}/`)) return room
  return undefined
}

interface Opened {
  readonly signature: string
  readonly command: Promise<RoomCommand>
  readonly idle: ResidentShell[]
}

const defaultMaxBytes = 64 * 1024 * 1024

function roomsOf({ stateDir, enclose }: Confinement): Confined {
  const rooms = new Map<string, Opened>()
  const shells = new Set<ResidentShell>()

  function drop({ idle }: Opened): void {
    for (const shell of idle) discard(shell)
  }
  function discard(shell: ResidentShell): void {
    shells.delete(shell)
    shell.close()
  }
  /** A folder that was made anew is not the one that the room has: its room is made anew too. */
  function opened(workTree: string): Opened {
    const known = rooms.get(workTree)
    const signature = signatureOf(stateDir, workTree)
    if (known?.signature === signature) return known
    if (known) drop(known)
    const command = enclose(['/bin/sh'], workTree === '' ? undefined : workTree)
    const made: Opened = { signature, command, idle: [] }
    rooms.set(workTree, made)
    return made
  }
  async function shellIn({ idle, command }: Opened): Promise<ResidentShell> {
    const waiting = takeLiving(idle)
    if (waiting) return waiting
    const { argv, env } = await command
    const shell = openShell({ argv, env, scratch: stateDir })
    shells.add(shell)
    return shell
  }
  return {
    async run([first, second], workTree, take) {
      // What needs no work tree is done in any room.
      const room = opened(workTree ?? rooms.keys().next().value ?? '')
      const shell = await shellIn(room)
      try {
        const { input, maxBytes = defaultMaxBytes } = first
        const plan: ShellPlan = second
          ? { commands: [shellCommand(first), shellCommand(second)], joined: 'in turn', maxBytes }
          : { commands: [shellCommand(first)], input, maxBytes }
        const result = await shell.run(plan, take)
        room.idle.push(shell)
        return result
      } catch (error) {
        discard(shell)
        throw error
      }
    },
    close() {
      for (const shell of shells) discard(shell)
    },
  }
}

function shellCommand({ argv, cwd = '/', env }: PipedCommand): ShellCommand {
  const [executable, ...args] = argv
  return { executable, args, cwd, env }
}

function signatureOf(stateDir: string, workTree: string): string {
  const own = join(stateDir, 'private')
  const [engine, tree] = [inodeOf(join(stateDir, 'engine')), workTree === '' ? '' : inodeOf(workTree)]
  const agents = inodeOf(own)
  if (agents !== undefined) return `${engine} ${agents} ${tree}`
  mkdirSync(own)
  return `${engine} ${inodeOf(own)} ${tree}`
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}
