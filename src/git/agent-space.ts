import { captureCommand, pipeCommands } from '../platform/capture.ts'
import { captureInTurn, inTurn } from '../platform/capture-in-turn.ts'
import type { InTurn } from '../platform/capture-in-turn.ts'
import type { Captured, Piped, PipedCommand } from '../platform/capture.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { roomOf } from './git-room.ts'
import type { GitRoom } from './git-room.ts'
import { gitCommand, succeeded, type GitOptions } from './host-git.ts'
import { takeTurn } from './space-turns.ts'

/**
 * Git on what an agent can write: the worktree and the private git directory. Every such call comes through this
 * file, and runs in the room of its run where that has walls. With or without: whatever touches files or objects runs
 * on configuration of ours (the engine's directory, or a private one that no agent has had yet), so a planted hook,
 * filter or driver has no command to run. In a private directory that an agent has had, only rev-parse and rev-list
 * are run. What a nested repository's own configuration says is not ours: git cannot start itself there, and fails
 * rather than enter.
 */
export async function gitInAgentSpace(args: readonly string[], options: GitOptions): Promise<Captured> {
  await takeTurn(options.gitDir)
  return gitOutOfTurn(args, options)
}

/** For a look ahead, which others wait for; and for what touches neither the index nor the worktree. */
export async function gitOutOfTurn(args: readonly string[], options: GitOptions): Promise<Captured> {
  const command = gitCommand(args, confined(options))
  const room = roomOf(options.gitDir)
  const result = room ? await inRoom(room, command, options) : await captureCommand(command.argv, command)
  return options.allowFailure === true ? result : succeeded(args, result)
}

/** The second if the first succeeds: with one order instead of two. */
export async function gitInTurn(
  [first, second]: readonly [readonly string[], readonly string[]],
  options: GitOptions,
): Promise<InTurn> {
  const commands = [gitCommand(first, confined(options)), gitCommand(second, confined(options))] as const
  const room = roomOf(options.gitDir)
  if (!room) return captureInTurn(...commands)
  return hearing(commands[0], () => room.run(commands, options.workTree, inTurn))
}

/** `git <args> | to`, of which only the first is in the agent's space, and touches nothing there. */
export async function pipeFromAgentSpace(
  args: readonly string[],
  options: GitOptions,
  to: PipedCommand,
): Promise<Piped> {
  const command = gitCommand(args, confined(options))
  const room = roomOf(options.gitDir)
  if (!room) return pipeCommands(command, to)
  const unlimited = { ...command, maxBytes: Number.MAX_SAFE_INTEGER }
  return hearing(command, () =>
    room.run(
      [unlimited],
      options.workTree,
      async ({ codes: [code = 1], stderrs: [stderr = ''], stdoutPath }) => {
        const nothing = { code: 0, stdout: Buffer.alloc(0), stderr: '' }
        // Half of it is nobody's to read.
        const read = code === 0 ? await captureCommand(reading(stdoutPath, to.argv), to) : nothing
        return { from: { code, stderr }, to: read }
      },
    ),
  )
}

function reading(path: string, argv: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', 'exec "$@" <"$0"', path, ...argv]
}

function confined(options: GitOptions): GitOptions {
  return { mayStartPrograms: false, ...options }
}

function inRoom(room: GitRoom, command: PipedCommand, { workTree }: GitOptions): Promise<Captured> {
  return hearing(command, () =>
    room.run([command], workTree, ({ codes: [code = 1], stderrs: [stderr = ''], stdout }) => ({
      code,
      stderr,
      stdout: stdout(),
    })),
  )
}

/** Without its room the command is not run at all. */
async function hearing<T>({ argv }: PipedCommand, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FailureError({
      code: 'git.failed',
      message: `${argv[0]} could not be run inside the walls: ${reason}`,
      next: 'baton doctor  (then: baton resume)',
      exitCode: exitCodes.failed,
    })
  }
}
