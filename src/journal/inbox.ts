import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { personVerbs } from '../model/durable.ts'
import type { PersonMessage } from '../model/durable.ts'
import type { Json } from '../model/json.ts'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { readdir, rename, rm } from '../platform/quick-files.ts'

/** Messages from a second process. They come in as files; only the run's one writer puts them into the journal. */
export interface Inbox {
  /** The oldest message that is not among the ids already recorded; recorded ones are cleared away. */
  take(recorded: ReadonlySet<string>): Promise<PersonMessage | undefined>
}

const messageSchema = z.strictObject({ id: z.string(), verb: z.enum(personVerbs), text: z.string() })

export function parsePersonMessage(value: Json): PersonMessage {
  return messageSchema.parse(value)
}

export function openInbox(dir: string): Inbox {
  return {
    async take(recorded) {
      for (const name of await messagesIn(dir)) {
        const message = await readMessage(join(dir, name))
        if (!message || recorded.has(message.id)) await rm(join(dir, name), { force: true })
        else return message
      }
      return undefined
    },
  }
}

/** Stores a message for the run. Ids are the file names: in order of arrival, the same one never twice. */
export async function sendMessage(dir: string, message: Omit<PersonMessage, 'id'>): Promise<PersonMessage> {
  await ensureDirectory(dir)
  const time = Date.now().toString(36).padStart(9, '0')
  const number = String((await messagesIn(dir)).length + 1).padStart(4, '0')
  const id = `${time}-${number}-${randomBytes(4).toString('hex')}`
  await writeFileAtomic(join(dir, `${id}.json`), JSON.stringify({ id, ...message }))
  return { id, ...message }
}

async function readMessage(path: string): Promise<PersonMessage | undefined> {
  const text = await readTextIfPresent(path)
  try {
    return text === undefined ? undefined : messageSchema.parse(JSON.parse(text))
  } catch {
    // Not one of ours: put aside, not believed, not lost.
    await unlessMissing(rename(path, `${path}.unreadable`))
    return undefined
  }
}

async function messagesIn(dir: string): Promise<string[]> {
  const names = (await unlessMissing(readdir(dir))) ?? []
  return names.filter((name) => name.endsWith('.json')).toSorted()
}

const cancelFile = 'cancel'

export async function requestCancel(dir: string): Promise<void> {
  await ensureDirectory(dir)
  await writeFileAtomic(join(dir, cancelFile), '')
}

export async function takeCancel(dir: string): Promise<boolean> {
  const asked = (await readTextIfPresent(join(dir, cancelFile))) !== undefined
  if (asked) await rm(join(dir, cancelFile), { force: true })
  return asked
}
