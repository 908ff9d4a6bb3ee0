import { describe, expect, it } from 'vitest'
import type { AgentError } from '../model/agent.ts'
import { failureIn } from './error-words.ts'

const now = Date.parse('2026-11-16T06:00:00Z')

/** What the tools were seen to say, and what their services document. */
const samples: readonly (readonly [AgentError, string])[] = [
  ['quota', '[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait and try again later.'],
  ['quota', '[API Error: You have exhausted your daily quota on this model.]'],
  ['quota', 'exceeded retry limit, last status: 429 Too Many Requests'],
  ['quota', 'Quota exceeded. Check your plan and billing details.'],
  ['quota', 'You’ve hit your usage limit. Upgrade to Pro or try again at Nov 20th, 2026 3:14 PM.'],
  ['quota', 'API Error: Request rejected (429) · This request would exceed your rate limit'],
  ['quota', 'Claude AI usage limit reached|1794805200'],
  ['quota', "You've hit your session limit · resets 3pm (America/New_York)"],
  ['quota', 'Credit balance is too low'],
  ['auth', 'unexpected status 401 Unauthorized: Incorrect API key provided, url: https://api.openai.com'],
  ['auth', 'Invalid API key · Fix external API key'],
  ['auth', 'Not logged in · Please run /login'],
  ['auth', '[API Error: API key not valid. Please pass a valid API key.]'],
  ['auth', 'Missing environment variable: `CODEX_API_KEY`.'],
  ['auth', 'Invalid auth method selected.'],
  ['overloaded', 'We’re currently experiencing high demand, which may cause temporary errors.'],
  ['overloaded', 'Selected model is at capacity. Please try a different model.'],
  ['overloaded', 'API Error: Repeated 529 Overloaded errors'],
  ['overloaded', '[API Error: Internal error encountered.]'],
  ['overloaded', 'API Error: 500 Internal server error'],
  ['context', 'Prompt is too long'],
  ['context', "Codex ran out of room in the model's context window. Start a new thread."],
  ['context', '[API Error: The input token count (1200000) exceeds the maximum number of tokens allowed]'],
  ['crash', 'stream disconnected before completion: Connection refused (os error 111)'],
  ['crash', '[API Error: fetch failed sending request]'],
  ['crash', '[API Error: terminated]'],
  ['timeout', 'Request timed out'],
  ['refused', 'FatalTurnLimitedError: Reached max session turns for this session.'],
  ['refused', "error: unknown option '--strict-everything'"],
]

describe('the words of a failure', () => {
  it.each(samples)('mean %s (R002-58): %s', (error, message) => {
    expect(failureIn(message, now)).toMatchObject({ error })
  })

  it('mean nothing where they are not known', () => {
    expect(failureIn('something else went wrong', now)).toBeUndefined()
  })

  it('are one line of bounded length for people', () => {
    const failure = failureIn(`usage limit\n\n${'x'.repeat(5000)}`, now)
    expect(failure?.message).toMatch(/^usage limit x+\.\.\.$/)
    expect(failure?.message.length).toBeLessThan(410)
  })

  it('hold the time at which a limit ends', () => {
    const failure = failureIn('Claude AI usage limit reached|1794805200', now)
    expect(failure?.resetsAt).toBe(1_794_805_200_000)
  })
})
