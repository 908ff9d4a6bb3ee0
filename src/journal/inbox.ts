import { link } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { personVerbs } from '../model/durable.ts'
import type { PersonMessage } from '../model/durable.ts'
import type { Json } from '../model/json.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import {
  ensureDirectory,
  readTextIfPresent,
  sha256Of,
  syncDirectory,
  temporaryBeside,
  writeFileAtomic,
} from '../platform/files.ts'
import { lstatIfThere, readdir, rename, rm } from '../platform/quick-files.ts'

/** Messages from a second process. They come in as files; only the run's one writer puts them into the journal. */
export interface Inbox {
  /** The oldest message that is not among the ids already recorded; recorded ones are cleared away. */
  take(recorded: ReadonlySet<string>): Promise<PersonMessage | undefined>
  /** Keeps a message that will never be taken, out of the way of the others. */
  putAside(message: PersonMessage): Promise<void>
}

const messageSchema = z.strictObject({
  id: z.string(),
  to: z.string().exactOptional(),
  verb: z.enum(personVerbs),
  text: z.string(),
})

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
    async putAside({ id }) {
      await unlessMissing(rename(fileOf(dir, id), `${fileOf(dir, id)}.aside`))
    },
  }
}

/**
 * Stores the answer to one question. Its id comes from the question, so of several who answer at the same moment
 * one is heard and the others are told: undefined if there is an answer already.
 */
export async function sendMessage(
  dir: string,
  message: Omit<PersonMessage, 'id'> & { readonly to: string },
): Promise<PersonMessage | undefined> {
  await ensureDirectory(dir)
  const id = idOf(message.to)
  const draft = temporaryBeside(fileOf(dir, id))
  await writeFileAtomic(draft, JSON.stringify({ id, ...message }))
  try {
    await link(draft, fileOf(dir, id))
    return { id, ...message }
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  } finally {
    await rm(draft, { force: true })
    await syncDirectory(dir)
  }
}

/** Whether the question has an answer that nobody has read yet. */
export async function hasAnswer(dir: string, asked: string): Promise<boolean> {
  return (await lstatIfThere(fileOf(dir, idOf(asked)))) !== undefined
}

function idOf(asked: string): string {
  return sha256Of(asked).slice(0, 16)
}

function fileOf(dir: string, id: string): string {
  return join(dir, `${id}.json`)
}

/** Messages that nobody has read were about something that is undone: they must not answer another question. */
export async function setMessagesAside(dir: string, aside: string): Promise<void> {
  for (const name of await messagesIn(dir)) {
    await ensureDirectory(aside)
    await unlessMissing(rename(join(dir, name), join(aside, name)))
  }
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
