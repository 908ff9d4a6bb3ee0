import { describe, expect, it } from 'vitest'
import { action, agent, call, check, reviewer, to } from '../../test/support/workflow-values.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Step } from '../model/workflow.ts'
import { chooseRoute, countTaken, routeLabel } from './choose-route.ts'
import type { Move, RouteQuestion } from './choose-route.ts'
import { openLedger, setCount } from './ledger.ts'
import type { Ledger } from './ledger.ts'

const empty: StepResult = { outcome: 'ok', writes: [], gates: [], facts: {} }

interface Asked {
  readonly steps: readonly Step[]
  readonly step: string
  readonly result?: Partial<StepResult>
  readonly ran?: readonly string[]
  readonly counts?: Readonly<Record<string, number>>
  readonly depth?: number
}

function ledgerOf(ran: readonly string[], counts: Readonly<Record<string, number>> = {}): Ledger {
  const ledger = openLedger()
  ledger.entries.push(...ran.map((step) => ({ step, visit: 1, result: empty })))
  for (const [key, count] of Object.entries(counts)) setCount(ledger, key, count)
  return ledger
}

function questionOf({ steps, step: id, result, ran = [], counts, depth = 0 }: Asked): RouteQuestion {
  const step = steps.find((one) => one.id === id)
  if (!step) throw new Error(`no step ${id}`)
  const limitOf = (limit: number | string) => (typeof limit === 'number' ? limit : 2)
  return { steps, step, result: { ...empty, ...result }, ledger: ledgerOf(ran, counts), depth, limitOf }
}

/** A move in few words: `go plan`, `end ok`, `call fix`. */
function moveOf(asked: Asked): string {
  const move: Move = chooseRoute(questionOf(asked))
  switch (move.type) {
    case 'go':
      return `go ${move.to}`
    case 'call':
      return `call ${move.fragment}`
    case 'end':
      return `end ${move.outcome}`
    case 'ask':
    case 'continue':
      return move.type
  }
}

describe('where a step goes', () => {
  const three = [agent('a'), agent('b'), agent('c')]

  it('ok goes to the following step', () => {
    expect(moveOf({ steps: three, step: 'a' })).toBe('go b')
  })

  it('ok of the last step ends the list', () => {
    expect(moveOf({ steps: three, step: 'c' })).toBe('end ok')
  })

  it('ok goes to next where the step has one', () => {
    expect(moveOf({ steps: [agent('a', { next: 'c' }), agent('b'), agent('c')], step: 'a' })).toBe('go c')
    expect(moveOf({ steps: [agent('a', { next: 'end' }), agent('b')], step: 'a' })).toBe('end ok')
  })

  it.each(['revise', 'escalate', 'blocked', 'failed'] as const)(
    '%s without a route ends the list with that outcome, next or not',
    (outcome) => {
      expect(moveOf({ steps: three, step: 'a', result: { outcome } })).toBe(`end ${outcome}`)
      const steps = [agent('a', { next: 'c' }), agent('b'), agent('c')]
      expect(moveOf({ steps, step: 'a', result: { outcome } })).toBe(`end ${outcome}`)
    },
  )

  it('is looked up by label first, then by outcome, then else', () => {
    const on = { conflict: to('b'), revise: to('c'), else: to('d') }
    const steps = [action('a', { on }), agent('b'), agent('c'), agent('d')]
    expect(moveOf({ steps, step: 'a', result: { outcome: 'revise', label: 'conflict' } })).toBe('go b')
    expect(moveOf({ steps, step: 'a', result: { outcome: 'revise', label: 'other' } })).toBe('go c')
    expect(moveOf({ steps, step: 'a', result: { outcome: 'failed', label: 'other' } })).toBe('go d')
  })

  it('a label has a route of its own also where the outcome is ok', () => {
    const steps = [action('a', { on: { clean: to('c') } }), agent('b'), agent('c')]
    expect(moveOf({ steps, step: 'a', result: { label: 'clean' } })).toBe('go c')
    expect(moveOf({ steps, step: 'a', result: {} })).toBe('go b')
  })

  it('else stands for every outcome but ok', () => {
    const steps = [check('a', { on: { else: to('c') } }), agent('b'), agent('c')]
    expect(moveOf({ steps, step: 'a', result: { outcome: 'blocked' } })).toBe('go c')
    expect(moveOf({ steps, step: 'a', result: { outcome: 'ok', label: 'pass' } })).toBe('go b')
  })

  it('an outcome without an entry uses that of the one label that maps to it', () => {
    const on = { REJECT: to('a', { limit: 3, then: 'ask' }), APPROVE: to('c') }
    const steps = [agent('a'), reviewer('r', { on }), agent('b'), agent('c')]
    expect(moveOf({ steps, step: 'r', result: { outcome: 'revise', label: 'score' } })).toBe('go a')
    expect(moveOf({ steps, step: 'r', result: { outcome: 'ok' } })).toBe('go c')
  })

  it('of several labels that map to an outcome none stands for it', () => {
    const verdicts = { verdict: { PASS: 'ok', MINOR: 'revise', MAJOR: 'revise' } } as const
    const on = { MINOR: to('b'), MAJOR: to('c') }
    const steps = [agent('a', { on, role: { verdicts } }), agent('b'), agent('c')]
    expect(moveOf({ steps, step: 'a', result: { outcome: 'revise', label: 'gate' } })).toBe('end revise')
  })

  it('the same label in two fields of the answer is one label', () => {
    const verdicts = { verdict: { FAIL: 'revise' }, second: { FAIL: 'revise' } } as const
    const steps = [agent('a', { on: { FAIL: to('c') }, role: { verdicts } }), agent('b'), agent('c')]
    expect(moveOf({ steps, step: 'a', result: { outcome: 'revise', label: 'gate' } })).toBe('go c')
  })

  it('a label that is a name of every JavaScript object is looked up like any other', () => {
    const step = check('a')
    expect(routeLabel(step, { ...empty, outcome: 'revise', label: 'constructor' })).toBeUndefined()
  })
})

describe('reserved targets', () => {
  const steps = [
    agent('a', {
      on: { ok: to('end'), revise: to('fail'), escalate: to('ask'), blocked: to('continue') },
    }),
    agent('b', { on: { ok: to('fail') } }),
    agent('c'),
  ]

  it('end ends the list ok', () => {
    expect(moveOf({ steps, step: 'a' })).toBe('end ok')
  })

  it('fail ends the list with the outcome, which is failed where it was ok', () => {
    expect(moveOf({ steps, step: 'a', result: { outcome: 'revise' } })).toBe('end revise')
    expect(moveOf({ steps, step: 'b' })).toBe('end failed')
  })

  it('ask asks a person', () => {
    expect(moveOf({ steps, step: 'a', result: { outcome: 'escalate' } })).toBe('ask')
  })

  it('continue goes on with the next item', () => {
    expect(moveOf({ steps, step: 'a', result: { outcome: 'blocked' } })).toBe('continue')
  })

  it('author is the step of reads that ran last (R000-47, C-07)', () => {
    const on = { REJECT: to('author', { limit: 3, then: 'ask' }) }
    const analysis = [
      agent('investigate'),
      agent('research'),
      reviewer('review', { reads: ['investigate', 'research', 'review', 'diff'], on }),
    ]
    const rejected = {
      steps: analysis,
      step: 'review',
      result: { outcome: 'revise', label: 'REJECT' },
    } as const
    expect(moveOf({ ...rejected, ran: ['investigate', 'review'] })).toBe('go investigate')
    expect(moveOf({ ...rejected, ran: ['investigate', 'review', 'research', 'review'] })).toBe('go research')
    expect(moveOf({ ...rejected, ran: ['research', 'review', 'investigate', 'review'] })).toBe(
      'go investigate',
    )
  })

  it('author is never the step itself: where no author has run, then is taken', () => {
    const on = { revise: to('author', { limit: 3, then: 'ask' }) }
    const two = [agent('write'), agent('review', { reads: ['write', 'review'], on })]
    const asked = {
      steps: two,
      step: 'review',
      result: { outcome: 'revise' },
      ran: ['review', 'review'],
    } as const
    expect(moveOf(asked)).toBe('ask')
  })
})

describe('limits', () => {
  const on = { revise: to('a', { limit: 2, then: 'ask' }) }
  const steps = [agent('a'), agent('b', { on })]
  const rejected = { steps, step: 'b', result: { outcome: 'revise' } } as const

  it('a route is taken as often as its limit says, then `then` (C-10)', () => {
    expect(moveOf({ ...rejected, counts: {} })).toBe('go a')
    expect(moveOf({ ...rejected, counts: { 'b/revise': 1 } })).toBe('go a')
    expect(moveOf({ ...rejected, counts: { 'b/revise': 2 } })).toBe('ask')
  })

  it('a limit of zero goes to `then` at once', () => {
    const none = [agent('a'), agent('b', { on: { revise: to('a', { limit: 0, then: 'fail' }) } })]
    expect(moveOf({ steps: none, step: 'b', result: { outcome: 'revise' } })).toBe('end revise')
  })

  it('a limit may be a variable', () => {
    const variable = [agent('a'), agent('b', { on: { revise: to('a', { limit: '{most}', then: 'ask' }) } })]
    const asked = { steps: variable, step: 'b', result: { outcome: 'revise' } } as const
    expect(moveOf({ ...asked, counts: { 'b/revise': 1 } })).toBe('go a')
    expect(moveOf({ ...asked, counts: { 'b/revise': 2 } })).toBe('ask')
  })

  it('`then` is itself a route with a limit of its own', () => {
    const then = to('a', { limit: 1, then: 'ask' })
    const chain = [agent('a'), agent('b'), agent('c', { on: { revise: to('b', { limit: 1, then }) } })]
    const asked = { steps: chain, step: 'c', result: { outcome: 'revise' } } as const
    expect(moveOf({ ...asked, counts: {} })).toBe('go b')
    expect(moveOf({ ...asked, counts: { 'c/revise': 1 } })).toBe('go a')
    expect(moveOf({ ...asked, counts: { 'c/revise': 1, 'c/revise/then': 1 } })).toBe('ask')
  })

  it('each label counts for itself', () => {
    const two = { X: to('a', { limit: 1, then: 'fail' }), Y: to('a', { limit: 1, then: 'fail' }) }
    const asked = { steps: [agent('a'), check('b', { on: two })], step: 'b', counts: { 'b/X': 1 } } as const
    expect(moveOf({ ...asked, result: { outcome: 'revise', label: 'X' } })).toBe('end revise')
    expect(moveOf({ ...asked, result: { outcome: 'revise', label: 'Y' } })).toBe('go a')
  })

  it('a used-up route without `then` ends the list', () => {
    const bare = [agent('a', { on: { revise: call('fix', { limit: 1 }) } })]
    const asked = {
      steps: bare,
      step: 'a',
      result: { outcome: 'revise' },
      counts: { 'a/revise': 1 },
    } as const
    expect(moveOf(asked)).toBe('end revise')
  })
})

describe('once', () => {
  const on = {
    REJECT: to('author', { limit: 2, then: 'ask' }),
    ESCALATE: to('research', { once: true, then: 'REJECT' }),
  }
  const steps = [
    agent('investigate'),
    agent('research'),
    reviewer('review', { reads: ['investigate', 'research'], on }),
  ]
  const escalated = { steps, step: 'review', result: { outcome: 'escalate', label: 'ESCALATE' } } as const

  it('leads to a step that has not run yet (R000-46, R000-56)', () => {
    expect(moveOf({ ...escalated, ran: ['investigate', 'review'] })).toBe('go research')
  })

  it('leads to `then` where the step has run, which may be another label of the same on (C-09)', () => {
    expect(moveOf({ ...escalated, ran: ['research', 'review'] })).toBe('go research')
    expect(moveOf({ ...escalated, ran: ['investigate', 'review', 'research', 'review'] })).toBe('go research')
  })

  it('as another label it counts against the limit of that label (C-09)', () => {
    const move = chooseRoute(
      questionOf({ ...escalated, ran: ['research', 'review'], counts: { 'review/REJECT': 1 } }),
    )
    expect(move).toMatchObject({
      type: 'go',
      to: 'research',
      taken: { key: 'review/REJECT', count: 2, limit: 2 },
    })
    expect(moveOf({ ...escalated, ran: ['research'], counts: { 'review/REJECT': 2 } })).toBe('ask')
  })

  it('is not taken again where its step was passed over, or there would be no end', () => {
    expect(moveOf({ ...escalated, ran: ['investigate', 'review'], counts: { 'review/ESCALATE': 1 } })).toBe(
      'go investigate',
    )
  })
})

describe('call', () => {
  const route = call('fix', { limit: 2, maxDepth: 3, then: 'continue' })
  const steps = [agent('a', { on: { failed: route } })]
  const failed = { steps, step: 'a', result: { outcome: 'failed' } } as const

  it('runs a fragment until its limit, then `then`', () => {
    expect(moveOf({ ...failed, counts: { 'a/failed': 1 } })).toBe('call fix')
    expect(moveOf({ ...failed, counts: { 'a/failed': 2 } })).toBe('continue')
  })

  it('may go as deep as max_depth and no deeper (C-60: depth 1, 2, 3 under root 0)', () => {
    expect([0, 1, 2, 3].map((depth) => moveOf({ ...failed, depth }))).toEqual([
      'call fix',
      'call fix',
      'call fix',
      'continue',
    ])
  })

  it('has an end also where a fragment calls itself and nobody wrote max_depth', () => {
    const bare = [agent('a', { on: { failed: call('fix', { limit: 1, then: 'fail' }) } })]
    const deep = { steps: bare, step: 'a', result: { outcome: 'failed' }, depth: 100 } as const
    expect(moveOf(deep)).toBe('end failed')
  })
})

describe('counts', () => {
  const steps = [agent('a'), agent('b'), agent('c'), agent('d')]
  const counts = { 'a/revise': 1, 'b/revise': 2, 'b/revise/then': 1, 'c/revise': 3, 'd/revise': 4 }

  function after(step: string, target: string): Readonly<Record<string, number>> {
    const question = questionOf({ steps, step, counts })
    countTaken(question, { key: `${step}/revise`, route: to(target), count: 9 }, target)
    return Object.fromEntries(question.ledger.counts ?? [])
  }

  it('going back over a step sets the counts of its routes to zero, but not those of the step that sends back', () => {
    expect(after('c', 'b')).toEqual({ 'a/revise': 1, 'c/revise': 9, 'd/revise': 4 })
  })

  it('a step that leads to itself resets nothing', () => {
    expect(after('c', 'c')).toEqual({ ...counts, 'c/revise': 9 })
  })

  it('going forward resets nothing', () => {
    expect(after('a', 'd')).toEqual({ ...counts, 'a/revise': 9 })
  })

  it('a step whose name begins like another keeps its counts', () => {
    const alike = [agent('plan'), agent('plan_review'), agent('code')]
    const question = questionOf({ steps: alike, step: 'code', counts: { 'plan/x': 1, 'plan_review/x': 1 } })
    countTaken(question, { key: 'code/revise', route: to('plan_review'), count: 1 }, 'plan_review')
    expect(Object.fromEntries(question.ledger.counts ?? [])).toEqual({ 'plan/x': 1, 'code/revise': 1 })
  })
})
