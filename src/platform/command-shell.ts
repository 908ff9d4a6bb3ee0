// The shells that start our own small commands, such as git.
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { openShell, takeLiving } from './resident-shell.ts'
import type { ResidentShell, ShellAnswer } from './resident-shell.ts'
import type { ShellCommand, ShellPlan } from './shell-script.ts'

/** Names that a shell takes as variables, in a folder that exists: everything else is started the long way. */
export function suitsShell({ env, cwd }: Pick<ShellCommand, 'env' | 'cwd'>): boolean {
  const isPlain = Object.entries(env).every(
    ([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !shellsOwn.test(name) && !value.includes('\0'),
  )
  return isPlain && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Variables that mean something to the shell itself: given another value, it might end. */
const shellsOwn = /^(IFS|OPTIND|LINENO|PPID|E?UID|GROUPS|DIRSTACK|FUNCNAME|RANDOM|SECONDS|SHELLOPTS|BASH.*)$/

/** Undefined where no shell can be had: then the command is started the long way. */
export async function runInShell<T>(
  plan: ShellPlan,
  take: (answer: ShellAnswer) => T,
): Promise<T | undefined> {
  const shell = takeLiving(idle) ?? startShell()
  if (!shell) return undefined
  try {
    const result = await shell.run(plan, take)
    idle.push(shell)
    return result
  } catch (error) {
    shell.close()
    throw error
  }
}

/** Shells that wait for work. Ambient, for it is only a faster way of what `spawn` does: nobody can tell the two apart. */
const idle: ResidentShell[] = []

function startShell(): ResidentShell | undefined {
  try {
    return openShell({ argv: ['/bin/sh'], env: {}, scratch: tmpdir() })
  } catch {
    // The long way will say what is wrong, if anything is.
    return undefined
  }
}
