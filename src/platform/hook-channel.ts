import { chmodSync, closeSync, constants, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { captureCommand } from './capture.ts'
import { ensureDirectory, writeFileAtomic } from './files.ts'
import { rm } from './quick-files.ts'
import { hookClient } from './hook-client.ts'

export interface HookReply {
  readonly stdout: string
  readonly code: number
}

export interface HookChannelOptions {
  /** Where the pipes are: the only thing that whoever asks has to be able to write. */
  readonly channel: string
  /** Where the client is put; may be read-only for who runs it. */
  readonly bin: string
  readonly path: string
  /** How long a question may wait; longer than any decision takes, and shorter than tools wait for their hooks. */
  readonly patienceSeconds?: number
  readonly answer: (raw: string) => Promise<HookReply>
}

export interface HookChannel {
  /** The program to run for every question. */
  readonly command: string
  /** From here on every question is answered with a denial, by the client itself. */
  close(): Promise<void>
}

const largestQuestion = 16 << 20
/** What a pipe holds without a reader; a longer answer would wait for one. */
const largestAnswer = 32 << 10
const waiting = 500

/** Opens the way on which tools ask before each tool call, and answers in this process. */
export async function openHookChannel(options: HookChannelOptions): Promise<HookChannel> {
  const { channel, bin } = options
  await rm(channel, { recursive: true, force: true })
  await Promise.all([ensureDirectory(channel), ensureDirectory(bin)])
  const command = join(bin, 'ask-firewall')
  await writeFileAtomic(command, hookClient(channel, options.patienceSeconds ?? 15))
  chmodSync(command, 0o755)
  const pipe = join(channel, 'ask')
  const made = await captureCommand(['mkfifo', pipe], { env: { PATH: options.path } })
  if (made.code !== 0) throw new Error(`mkfifo ${pipe}: ${made.stderr}`)
  // For writing as well: without a writer of its own it would end after each question.
  const questions = new Socket({ fd: openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK) })
  listen(questions, options)
  return {
    command,
    close: async () => {
      questions.destroy()
      await rm(channel, { recursive: true, force: true })
    },
  }
}

function listen(questions: Socket, options: HookChannelOptions): void {
  let rest = ''
  let open = 0
  questions.on('error', () => questions.destroy())
  questions.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = (lines.pop() ?? '').slice(-100)
    for (const id of lines) {
      // Who floods it is not answered, and so is denied.
      if (open >= waiting || !/^[\d.]{1,40}$/.test(id)) continue
      open++
      void answerOne(id, options).finally(() => open--)
    }
  })
}

async function answerOne(id: string, { channel, answer }: HookChannelOptions): Promise<void> {
  const question = join(channel, `q.${id}`)
  const pipe = join(channel, `a.${id}`)
  try {
    const reply = await answer(readQuestion(question))
    if (reply.stdout.length < largestAnswer) send(pipe, `${reply.code}\n${reply.stdout}\nend\n`)
  } catch {
    // No answer is a denial; the client says so.
    trySend(pipe, 'failed\n\nend\n')
  } finally {
    for (const file of [question, pipe]) rmSync(file, { force: true })
  }
}

/** The folder is in the agent's reach: nothing in it is followed, and only what has the right kind is touched. */
function readQuestion(file: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile() || stats.size > largestQuestion) throw new Error('not a question')
    const bytes = Buffer.alloc(stats.size)
    let length = 0
    for (let read = -1; read !== 0; length += read)
      read = readSync(fd, bytes, length, stats.size - length, null)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}

function send(pipe: string, text: string): void {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const fd = openSync(pipe, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (fstatSync(fd).isFIFO()) writeSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

function trySend(pipe: string, text: string): void {
  try {
    send(pipe, text)
  } catch {
    // Whoever asked is gone.
  }
}
