import { describe, expect, it } from 'vitest'
import { openLetter, signatureOf } from './signed-message.ts'

const secret = 'a long secret of the test'
const now = 1_800_000_000_000
const timestamp = String(now / 1000)
const body = JSON.stringify({ run: '12', verb: 'reject', text: 'Too long' })

function letter(more: { timestamp?: string; body?: string; signature?: string; secret?: string } = {}) {
  const sent = { timestamp, body, ...more }
  return openLetter({ signature: signatureOf(sent, more.secret ?? secret), ...sent }, secret, now)
}

describe('a signed letter', () => {
  it('is what its sender says to a run', () => {
    expect(letter()).toEqual({ type: 'message', message: { run: '12', verb: 'reject', text: 'Too long' } })
  })

  it.each([
    ['another secret', { secret: 'guessed' }],
    ['no signature', { signature: '' }],
    ['the signature of something else', { signature: signatureOf({ timestamp, body: '{}' }, secret) }],
    [
      'a moment that was not signed',
      { timestamp: String(now / 1000 + 1), signature: signatureOf({ timestamp, body }, secret) },
    ],
  ])('is not believed with %s', (_, more) => {
    expect(letter(more)).toEqual({ type: 'refused', why: 'signature' })
  })

  it.each([
    ['old', String(now / 1000 - 301)],
    ['from the future', String(now / 1000 + 301)],
    ['without a moment', ''],
    ['with a moment that is none', '1e9'],
  ])('is not believed when it is %s, however well signed', (_, moment) => {
    expect(letter({ timestamp: moment })).toEqual({ type: 'refused', why: 'late' })
  })

  it.each([
    'no JSON',
    '[]',
    JSON.stringify({ run: '../1', verb: 'approve' }),
    JSON.stringify({ run: '1', verb: 'cancel' }),
    JSON.stringify({ run: '1', verb: 'approve', more: 1 }),
    JSON.stringify({ run: '1', verb: 'answer', text: 'x'.repeat(20_001) }),
  ])('is refused where it says nothing that a run could be told: %.40s', (text) => {
    expect(letter({ body: text })).toEqual({ type: 'refused', why: 'form' })
  })
})
