import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact, redactText, secretsIn } from './redact.ts'

describe('secrets of the environment', () => {
  it('are told by their names (R003-91)', () => {
    const env = {
      GEMINI_API_KEY: 'value-of-key',
      github_token: 'value-of-token',
      DB_PASSWORD: 'value-of-password',
      CLIENT_SECRET: 'value-of-secret',
      AWS_CREDENTIALS: 'value-of-credentials',
      HOME: '/home/somebody',
      KEYBOARD: 'us-international',
      EMPTY_TOKEN: '',
      NO_TOKEN: undefined,
      SHORT_KEY: '1234567',
    }
    expect(secretsIn(env)).toEqual([
      ...['value-of-key', 'value-of-token', 'value-of-password', 'value-of-secret', 'value-of-credentials'],
    ])
  })
})

describe('redacting', () => {
  it.each([
    ['an OpenAI or Anthropic key', `sk-ant-api03-${'a1B2'.repeat(6)}`],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['a fine-grained GitHub token', `github_pat_${'a1B2_'.repeat(9)}`],
    ['a GitLab token', `glpat-${'a1B2'.repeat(5)}`],
    ['a Google key', `AIza${'a1B2_'.repeat(7)}`],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['a Slack token', 'xoxb-1234567890-abcdef'],
    ['a JSON Web Token', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----'],
  ])('takes out %s by its shape', (_name, key) => {
    expect(redactText(`before ${key} after`, [])).toBe('before [redacted] after')
  })

  it('leaves ordinary text alone', () => {
    const text = 'task-1234567890abcdef, skip-this-one-please-now, commit 7f3a2b1c9d, AKIA'
    expect(redactText(text, [])).toBe(text)
  })

  it('goes into lists and objects, and leaves their shape', () => {
    const value = { a: ['my-secret-1', { b: 'my-secret-1!' }], n: 1, t: true, z: null }
    expect(redact(value, ['my-secret-1'])).toEqual({
      a: ['[redacted]', { b: '[redacted]!' }],
      n: 1,
      t: true,
      z: null,
    })
  })

  it('takes out the whole of a secret that begins with another one', () => {
    expect(redactText('token=abcdefgh-and-more', ['abcdefgh', 'abcdefgh-and-more'])).toBe('token=[redacted]')
  })

  it('takes a secret for itself, not for a pattern', () => {
    expect(redactText('a+b$&(c aab', ['a+b$&(c'])).toBe('[redacted] aab')
  })

  it('leaves nothing of a secret, whatever stands around it', () => {
    assert(
      property(string(), string(), string({ minLength: 12, maxLength: 20 }), (before, after, secret) => {
        const text = redactText(`${before}${secret}${after}`, [secret])
        expect(text.replaceAll('[redacted]', '')).not.toContain(secret)
      }),
    )
  })
})
