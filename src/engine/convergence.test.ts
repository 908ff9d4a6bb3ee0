import { describe, expect, it } from 'vitest'
import { playScripted } from '../../test/support/scripted-run.ts'
import type { Scripted } from '../../test/support/scripted-run.ts'
import { agent, reviewer, to } from '../../test/support/workflow-values.ts'
import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'

const quotes = { id: 'F1', about: 'A line break is written without quotes.', place: 'src/a.ts:3' }
const header = { id: 'F2', about: 'An empty export has no header.', place: 'src/a.ts:9' }

function rejects(...findings: readonly JsonObject[]): Scripted {
  return { outcome: 'revise', label: 'REJECT', answer: { verdict: 'REJECT', findings } }
}

function says(...findings: readonly JsonObject[]): Scripted {
  return { outcome: 'ok', answer: { findings } }
}

const lap = { REJECT: to('code', { limit: 5, then: 'ask' }) }

function recognised(lines: readonly JournalLine[]): unknown[] {
  return lines
    .filter(({ type }) => type === 'finding.repeated')
    .map(({ data }) => `${textOf(data['finding'])} ${textOf(data['how'])}, round ${textOf(data['round'])}`)
}

describe('a review that does not converge', () => {
  it('raises again what the author marked as fixed: the lap goes to `then` at once', async () => {
    const { performed, waiting, lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: { code: ['ok', says({ id: 'F1', status: 'fixed' })], review: [rejects(quotes)] },
    })
    expect(performed).toEqual(['code#1', 'review#1', 'code#2', 'review#2'])
    expect(recognised(lines)).toEqual(['F1 marked, round 1'])
    expect(waiting?.text).toContain('Found again though F1 of round 1 was marked as dealt with')
  })

  it('raises again, under another number and in other words, what the author disputed', async () => {
    const reworded = {
      id: 'F7',
      about: 'Written without quotes: a field with a line break.',
      place: 'src/a.ts:5',
    }
    const { lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: {
        code: ['ok', says({ id: 'F1', status: 'disputed' })],
        review: [rejects(quotes), rejects(reworded)],
      },
    })
    expect(recognised(lines)).toEqual(['F7 marked, round 1'])
  })

  it('raises again what it had marked as resolved itself', async () => {
    const { performed, lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: {
        review: [rejects(quotes), rejects({ ...quotes, status: 'resolved' }, header), rejects(quotes)],
      },
    })
    expect(performed.at(-1)).toBe('review#3')
    expect(recognised(lines)).toEqual(['F1 marked, round 1'])
  })

  it('finds the same thing in another place once the first is mended', async () => {
    const elsewhere = { ...quotes, id: 'F3', place: 'lib/b.ts:8' }
    const { performed, lines, waiting } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: { review: [rejects(quotes), rejects(elsewhere)] },
    })
    expect(performed.at(-1)).toBe('review#2')
    expect(recognised(lines)).toEqual(['F3 elsewhere, round 1'])
    expect(waiting?.text).toContain('The same as F1 of round 1 (src/a.ts:3), now in another place')
  })

  it('spends two laps, and no third, on a finding of which nobody says anything', async () => {
    const { performed, lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: { review: [rejects(quotes)] },
    })
    expect(performed.filter((one) => one.startsWith('code'))).toEqual(['code#1', 'code#2', 'code#3'])
    expect(recognised(lines)).toEqual(['F1 laps, round 1'])
  })

  it('is known by its report, or by its feedback, where the answer lists no findings', async () => {
    const byReport: Scripted = { outcome: 'revise', label: 'REJECT', facts: { findings: [quotes] } }
    const byWords: Scripted = {
      outcome: 'revise',
      label: 'REJECT',
      reason: 'F1 (major), src/a.ts: no quotes at all',
    }
    for (const review of [byReport, byWords]) {
      const { lines } = await playScripted({
        workflow: [agent('code'), reviewer('review', { on: lap })],
        script: { code: ['ok', says({ id: 'F1', status: 'fixed' })], review: [review] },
      })
      expect(recognised(lines)).toEqual(['F1 marked, round 1'])
    }
  })

  it('takes its route `repeated` where it has one, with what was recognised as feedback, as often as that allows', async () => {
    const on = { ...lap, repeated: to('plan', { limit: 1, then: 'ask' }) }
    const { performed, requests, lines } = await playScripted({
      workflow: [agent('plan'), agent('code'), reviewer('review', { on })],
      script: { code: ['ok', says({ id: 'F1', status: 'fixed' })], review: [rejects(quotes)] },
    })
    expect(performed).toEqual([
      ...['plan#1', 'code#1', 'review#1', 'code#2', 'review#2'],
      ...['plan#2', 'code#3', 'review#3'],
    ])
    expect(requests[5]?.feedback[0]?.text).toContain('was marked as dealt with')
    const taken = lines.filter(({ type }) => type === 'route.taken').map(({ data }) => data['by'])
    expect(taken).toEqual(['REJECT', 'repeated'])
  })
})

describe('a review that converges', () => {
  it('goes round for other findings, for minor ones beside them, and for those that stay open as said', async () => {
    const minor = { ...quotes, severity: 'minor' }
    const { performed, lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: {
        code: ['ok', says({ id: 'F1', status: 'open' })],
        review: [rejects(quotes), rejects(quotes, header), rejects(header, minor), 'APPROVE'],
      },
    })
    expect(performed.at(-1)).toBe('review#4')
    expect(recognised(lines)).toEqual([])
  })

  it('may raise the same twice at once: two places in one round are one round of work', async () => {
    const { lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: { review: [rejects(quotes, { ...quotes, id: 'F2', place: 'lib/b.ts' }), 'APPROVE'] },
    })
    expect(recognised(lines)).toEqual([])
  })

  it('counts anew after a person has decided', async () => {
    const { performed, lines } = await playScripted({
      workflow: [agent('code'), reviewer('review', { on: lap })],
      script: {
        code: ['ok', says({ id: 'F1', status: 'fixed' })],
        review: [rejects(quotes), rejects(quotes), rejects(quotes), 'APPROVE'],
      },
      person: ['reject Mend it properly.'],
    })
    expect(recognised(lines)).toEqual(['F1 marked, round 1'])
    expect(performed.at(-1)).toBe('review#4')
  })
})
