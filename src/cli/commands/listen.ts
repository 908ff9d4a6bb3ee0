import { join } from 'node:path'
import { FailureError } from '../../model/failure.ts'
import { openLetterBox } from '../../notify/letter-box.ts'
import type { LetterBox, LetterBoxOptions, Reply } from '../../notify/letter-box.ts'
import { longestAgeMs } from '../../notify/signed-message.ts'
import { errorCode } from '../../platform/errno.ts'
import { claimLetter } from '../claim-letter.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import { tellRun } from '../tell-run.ts'
import type { Told } from '../tell-run.ts'

export interface ListenFlags {
  readonly port?: string
  readonly host?: string
  readonly secretEnv?: string
}

const usualVariable = 'BATON_LISTEN_SECRET'
const shortestSecret = 16

/** People elsewhere answer through signed letters, which are what approve, reject and answer are here. */
export async function listen({ surroundings, output }: Command, flags: ListenFlags): Promise<number> {
  const { env, cwd, clock, interrupt } = surroundings
  const { runsDir } = await openProject(cwd, env)
  const host = flags.host ?? '127.0.0.1'
  const now = (): number => clock.now().getTime()
  const box = await opened({
    ...{ host, port: portOf(flags.port ?? '4747'), secret: secretOf(env, flags.secretEnv), now },
    claim: (signature) => claimLetter(join(runsDir, 'letters'), signature, { now: now(), longestAgeMs }),
    async take(message) {
      const reply = await taken(runsDir, message)
      output.line(`${message.verb} for run ${message.run}: ${reply.body['message'] ?? ''}`)
      return reply
    },
  })
  output.line(`Listening on http://${host.includes(':') ? `[${host}]` : host}:${box.port}/`)
  await until(interrupt)
  await box.close()
  return 0
}

async function taken(runsDir: string, told: Told): Promise<Reply> {
  try {
    const { run, verb, next } = await tellRun(runsDir, told)
    return { status: 200, body: { run, verb, next, message: 'stored' } }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    const { code, message, next } = error
    return { status: code === 'run.missing' ? 404 : 409, body: { code, message, next } }
  }
}

async function opened(options: LetterBoxOptions): Promise<LetterBox> {
  try {
    return await openLetterBox(options)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new FailureError({
      code: 'listen.port',
      message: `Nothing can be heard at ${options.host}, port ${options.port}: ${errorCode(error) ?? error.message}.`,
      next: 'baton listen --port 0   (any that is free)',
    })
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new FailureError({
    code: 'listen.port',
    message: `'${text}' is not a port.`,
    next: 'baton listen --port 4747',
  })
}

/** A short one could be found by trying. */
function secretOf(env: NodeJS.ProcessEnv, variable = usualVariable): string {
  const secret = env[variable] ?? ''
  if (secret.length >= shortestSecret) return secret
  throw new FailureError({
    code: 'listen.secret',
    message: `The variable ${variable} holds no secret of at least ${shortestSecret} characters.`,
    next: `export ${variable}="$(openssl rand -hex 32)"   (and give it to who signs)`,
  })
}

/** A pending promise alone keeps no process alive; the server does. */
function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
