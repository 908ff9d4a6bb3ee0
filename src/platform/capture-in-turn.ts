import { captureCommand, defaultMaxBytes, isPlain, locate, maxStderrBytes, shellCommand } from './capture.ts'
import type { Captured, PipedCommand } from './capture.ts'
import { runInShell } from './command-shell.ts'
import type { ShellAnswer } from './resident-shell.ts'

type Unfed = Omit<PipedCommand, 'input'>

/** Of the second nothing, where it was not run. */
export type InTurn = readonly [Captured, Captured | undefined]

/**
 * The second command is run if the first succeeds, whose output nobody reads: with one order to the small shell instead
 * of two.
 */
export async function captureInTurn(first: Unfed, second: Unfed): Promise<InTurn> {
  const [one, other] = [locate(first), locate(second)]
  if (one !== undefined && other !== undefined && isPlain(first) && isPlain(second)) {
    const commands = [shellCommand(first, one), shellCommand(second, other)] as const
    const plan = { commands, joined: 'in turn', maxBytes: second.maxBytes ?? defaultMaxBytes } as const
    const answer = await runInShell(plan, inTurn)
    if (answer) return answer
  }
  const before = await captureCommand(first.argv, first)
  return [before, before.code === 0 ? await captureCommand(second.argv, second) : undefined]
}

/** What a shell says of such a plan. */
export function inTurn({ codes, stdout, stderrs }: ShellAnswer): InTurn {
  const [code = 1, next = 1] = codes
  const [complaint, nextComplaint] = stderrs.map((text) => text.slice(0, maxStderrBytes))
  return [
    { code, stdout: Buffer.alloc(0), stderr: complaint ?? '' },
    code === 0 ? { code: next, stdout: stdout(), stderr: nextComplaint ?? '' } : undefined,
  ]
}
