import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PersonMessage } from '../model/durable.ts'
import { openInbox, parsePersonMessage, requestCancel, sendMessage, takeCancel } from './inbox.ts'

let root: string
let dir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'baton-inbox-'))
  dir = join(root, 'run', 'inbox')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const approval = { to: 'asked', verb: 'approve', text: '' } as const

async function sent(): Promise<PersonMessage> {
  const message = await sendMessage(dir, approval)
  if (!message) throw new Error('there is an answer already')
  return message
}

describe('the inbox', () => {
  it('is empty where nobody has written', async () => {
    expect(await openInbox(dir).take(new Set())).toBeUndefined()
  })

  it('gives one message after another, the next once the one before is recorded', async () => {
    const all = [
      await sendMessage(dir, { to: 'a', verb: 'reject', text: 'one' }),
      await sendMessage(dir, { to: 'b', verb: 'approve', text: '' }),
      await sendMessage(dir, { to: 'c', verb: 'answer', text: 'three' }),
    ]
    const inbox = openInbox(dir)
    const recorded = new Set<string>()
    const taken: PersonMessage[] = []
    for (let next = await inbox.take(recorded); next; next = await inbox.take(recorded)) {
      taken.push(next)
      recorded.add(next.id)
    }
    expect(new Set(taken)).toEqual(new Set(all))
    expect(await readdir(dir)).toEqual([])
  })

  it('keeps a message until it is recorded: a crash before that loses nothing', async () => {
    const message = await sendMessage(dir, approval)
    expect(await openInbox(dir).take(new Set())).toEqual(message)
    expect(await openInbox(dir).take(new Set())).toEqual(message)
  })

  it('has room for one answer to a question: of twelve at the same moment one is heard, the others know it', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => String(n))
    const answers = await Promise.all(
      texts.map((text) => sendMessage(dir, { to: 'asked', verb: 'answer', text })),
    )
    const heard = answers.filter((message) => message !== undefined)
    expect(heard).toHaveLength(1)
    expect(await openInbox(dir).take(new Set())).toEqual(heard[0])
    expect(await readdir(dir)).toHaveLength(1)
  })

  it('keeps a message that was put aside, out of the way', async () => {
    const message = await sent()
    await openInbox(dir).putAside(message)
    expect(await openInbox(dir).take(new Set())).toBeUndefined()
    expect(await readdir(dir)).toEqual([`${message.id}.json.aside`])
  })

  it.each([
    ['no JSON', 'approve'],
    ['no verb of ours', '{"id":"1","verb":"merge","text":""}'],
    ['a key too many', '{"id":"1","verb":"approve","text":"","admin":true}'],
    ['nothing', ''],
  ])('puts a file with %s aside: not believed, not lost, and not in the way', async (_name, text) => {
    const message = await sent()
    await writeFile(join(dir, '0.json'), text)
    expect(await openInbox(dir).take(new Set())).toEqual(message)
    expect((await readdir(dir)).toSorted()).toEqual(['0.json.unreadable', `${message.id}.json`])
  })

  it('leaves alone what is no message, half-written ones included', async () => {
    await sent()
    await writeFile(join(dir, '1.json.123-abc.tmp'), '{"id"')
    await openInbox(dir).take(new Set())
    expect(await readdir(dir)).toContain('1.json.123-abc.tmp')
  })

  it('parses a recorded message again', () => {
    const message = { id: '1', verb: 'approve', text: '' } as const
    expect(parsePersonMessage(message)).toEqual(message)
    expect(() => parsePersonMessage({ verb: 'approve' })).toThrow()
  })
})

describe('cancel', () => {
  it('is a wish that is taken once', async () => {
    expect(await takeCancel(dir)).toBe(false)
    await requestCancel(dir)
    await requestCancel(dir)
    expect([await takeCancel(dir), await takeCancel(dir)]).toEqual([true, false])
  })

  it('is no message', async () => {
    await requestCancel(dir)
    expect(await openInbox(dir).take(new Set())).toBeUndefined()
    expect(await takeCancel(dir)).toBe(true)
  })
})
