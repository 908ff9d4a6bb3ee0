import { describe, expect, it } from 'vitest'
import { beforeFailure } from './before-failure.ts'
import type { JournalLine } from './event.ts'
import type { JsonObject } from './json.ts'

const line = (type: JournalLine['type'], data: JsonObject): JournalLine => ({
  ts: '',
  role: 'ENGINE',
  type,
  data,
})

function visit(key: string, outcome: string, kind = 'agent'): JournalLine[] {
  const step = key.replace(/#\d+$/, '').split('/').at(-1) ?? ''
  return [
    line('step.started', { key: `${key}/started` }),
    line('step.finished', { key: `${key}/finished`, step, kind, outcome, visit: 1 }),
  ]
}

function item(key: string, outcome: string, inside: readonly JournalLine[]): JournalLine[] {
  const begun = line('item.started', { key: `${key}/started` })
  return [begun, ...inside, line('item.finished', { key: `${key}/finished`, outcome })]
}

function list(key: string, outcome: string, inside: readonly JournalLine[]): JournalLine[] {
  const [started, finished] = visit(key, outcome, 'each')
  return [started, ...inside, finished].filter((one) => one !== undefined)
}

describe('before a failure', () => {
  it('R003-92, C-45: stands what ended last before the item that failed', () => {
    const first = item('work#1/T1', 'ok', visit('work#1/T1/code#1', 'ok'))
    const second = item('work#1/T2', 'failed', [
      ...visit('work#1/T2/code#1', 'ok'),
      ...list('work#1/T2/parts#1', 'failed', item('work#1/T2/parts#1/a', 'failed', [])),
    ])
    const lines = [...visit('plan#1', 'ok'), ...list('work#1', 'failed', [...first, ...second])]
    expect(beforeFailure(lines)?.key).toBe('work#1/T1/code#1')
  })

  it('stands what ended before the step that failed, also where an item failed long ago', () => {
    const work = list('work#1', 'ok', item('work#1/T1', 'failed', visit('work#1/T1/code#1', 'failed')))
    expect(beforeFailure([...work, ...visit('check#1', 'failed')])?.key).toBe('work#1')
  })

  it('stands nothing where it was the first, or where nothing failed', () => {
    expect(beforeFailure(visit('plan#1', 'failed'))).toBeUndefined()
    expect(beforeFailure(visit('plan#1', 'ok'))).toBeUndefined()
    expect(beforeFailure([])).toBeUndefined()
  })
})
