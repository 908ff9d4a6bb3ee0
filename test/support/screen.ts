// A terminal as a person has it: a shell in tmux, of a given size, typed into and looked at. A machine without tmux fails here.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { isAlive } from '../../src/platform/processes.ts'

const execute = promisify(execFile)
const multiplexer = ['t', 'mux'].join('')

export interface Screen {
  /** Types a command on an empty screen and waits for the prompt after it. Gives what then stands there. */
  command(text: string): Promise<string>
  /** The same without waiting. */
  type(text: string): Promise<void>
  key(name: string): Promise<void>
  /** Waits for the prompt. Gives what then stands there. */
  prompt(): Promise<string>
  /** Waits for a text to stand there. Gives all of it. */
  shows(text: string | RegExp): Promise<string>
}

export interface ScreenOptions {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

let opened = 0

export async function openScreen({ columns, rows, cwd, env }: ScreenOptions): Promise<Screen> {
  const socket = `baton-test-${process.pid}-${(opened += 1)}`
  const call = async (...args: string[]): Promise<string> => {
    const options = { cwd, env: { ...env, TERM: 'xterm-256color', HISTFILE: '' } }
    return (await execute(multiplexer, ['-L', socket, '-f', '/dev/null', ...args], options)).stdout
  }
  const size = ['-x', String(columns), '-y', String(rows)]
  await call('new-session', '-d', ...size, '-c', cwd, 'bash', '--noprofile', '--norc')
  const shell = Number(await call('display-message', '-p', '#{pane_pid}'))
  onTestFinished(async () => {
    await call('kill-server')
    // The folder is removed after this: nobody may be writing into it any more.
    for (const end = Date.now() + 60_000; isAlive(shell) && Date.now() < end;) await sleep(20)
  })
  // Lines that the terminal has broken are one line again.
  const look = async (): Promise<string> =>
    (await call('capture-pane', '-p', '-J'))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trim()
  const send = async (text: string): Promise<void> => {
    await call('send-keys', '-l', text)
    await call('send-keys', 'Enter')
  }
  let number = 1
  // Bash counts the commands, so that no prompt is taken for the one after.
  await send(String.raw`PS1='[\#]$ '`)
  const until = async (isThere: (screen: string) => boolean, what: string): Promise<string> => {
    let screen = ''
    for (const end = Date.now() + 240_000; Date.now() < end; await sleep(50)) {
      screen = await look()
      if (isThere(screen)) return screen
    }
    throw new Error(`waited in vain for ${what} on this screen:\n${screen}`)
  }
  const prompt = async (): Promise<string> => {
    const line = `[${number + 1}]$`
    const screen = await until((text) => text.endsWith(line), `the prompt ${line}`)
    number += 1
    return screen.slice(0, -line.length).trimEnd()
  }
  await prompt()
  const type = (text: string): Promise<void> => send(`clear; ${text}`)
  return {
    type,
    prompt,
    async command(text) {
      await type(text)
      return prompt()
    },
    async key(name) {
      await call('send-keys', name)
    },
    shows: (text) =>
      until((screen) => (typeof text === 'string' ? screen.includes(text) : text.test(screen)), String(text)),
  }
}
