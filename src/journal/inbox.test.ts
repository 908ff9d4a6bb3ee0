import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openInbox, parsePersonMessage, requestCancel, sendMessage, takeCancel } from './inbox.ts'

let root: string
let dir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'baton-inbox-'))
  dir = join(root, 'run', 'inbox')
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('the inbox', () => {
  it('is empty where nobody has written', async () => {
    expect(await openInbox(dir).take(new Set())).toBeUndefined()
  })

  it('gives the oldest message first, and the next one once it is recorded', async () => {
    const sent = [
      await sendMessage(dir, { verb: 'reject', text: 'one' }),
      await sendMessage(dir, { verb: 'approve', text: '' }),
      await sendMessage(dir, { verb: 'answer', text: 'three' }),
    ]
    const inbox = openInbox(dir)
    const recorded = new Set<string>()
    for (const message of sent) {
      expect(await inbox.take(recorded)).toEqual(message)
      recorded.add(message.id)
    }
    expect(await inbox.take(recorded)).toBeUndefined()
  })

  it('keeps a message until it is recorded: a crash before that loses nothing', async () => {
    const message = await sendMessage(dir, { verb: 'approve', text: '' })
    expect(await openInbox(dir).take(new Set())).toEqual(message)
    expect(await openInbox(dir).take(new Set())).toEqual(message)
  })

  it('clears away what was recorded', async () => {
    const message = await sendMessage(dir, { verb: 'approve', text: '' })
    await openInbox(dir).take(new Set([message.id]))
    expect(await readdir(dir)).toEqual([])
  })

  it('keeps the order of many messages from one process', async () => {
    const sent: string[] = []
    for (let n = 0; n < 25; n++) sent.push((await sendMessage(dir, { verb: 'answer', text: String(n) })).text)
    const inbox = openInbox(dir)
    const recorded = new Set<string>()
    const taken: string[] = []
    for (let next = await inbox.take(recorded); next; next = await inbox.take(recorded)) {
      taken.push(next.text)
      recorded.add(next.id)
    }
    expect(taken).toEqual(sent)
  })

  it('loses none of the messages that come at the same moment', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => String(n))
    await Promise.all(texts.map((text) => sendMessage(dir, { verb: 'answer', text })))
    const inbox = openInbox(dir)
    const recorded = new Set<string>()
    const taken: string[] = []
    for (let next = await inbox.take(recorded); next; next = await inbox.take(recorded)) {
      taken.push(next.text)
      recorded.add(next.id)
    }
    expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual(texts)
  })

  it.each([
    ['no JSON', 'approve'],
    ['no verb of ours', '{"id":"1","verb":"merge","text":""}'],
    ['a key too many', '{"id":"1","verb":"approve","text":"","admin":true}'],
    ['nothing', ''],
  ])('puts a file with %s aside: not believed, not lost, and not in the way', async (_name, text) => {
    const message = await sendMessage(dir, { verb: 'approve', text: '' })
    await writeFile(join(dir, '0.json'), text)
    expect(await openInbox(dir).take(new Set())).toEqual(message)
    expect((await readdir(dir)).toSorted()).toEqual(['0.json.unreadable', `${message.id}.json`])
  })

  it('leaves alone what is no message, half-written ones included', async () => {
    await sendMessage(dir, { verb: 'approve', text: '' })
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
