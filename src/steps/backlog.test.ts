import { describe, expect, it } from 'vitest'
import { backlogItems, withItems } from './backlog.ts'

const source = { title: 'ARCHITECT', run: '7', date: '2025-10-02' }

describe('the backlog', () => {
  it('takes the ideas of any role from its answer, each as one line (R001-124, R001-126, R001-128)', () => {
    expect(backlogItems({ backlog_items: ['Idea 1', ' Idea\n 2 ', '', 3, null] })).toEqual([
      'Idea 1',
      'Idea 2',
    ])
    expect(backlogItems({})).toEqual([])
    expect(backlogItems({ backlog_items: 'Idea' })).toEqual([])
  })

  it('is made where it is missing, with one line for each idea (R001-127, R001-128)', () => {
    expect(withItems(undefined, ['Idea 1', 'Idea 2'], source)).toBe(
      '# Backlog\n\nIdeas from runs, for later. One line each: what, who had it, in which run, when.\n\n' +
        '- [ ] Idea 1 (ARCHITECT, run 7, 2025-10-02)\n- [ ] Idea 2 (ARCHITECT, run 7, 2025-10-02)\n',
    )
  })

  it('is appended to, and keeps what people wrote', () => {
    expect(withItems('# Mine\n\n- [ ] old', ['new'], source)).toBe(
      '# Mine\n\n- [ ] old\n- [ ] new (ARCHITECT, run 7, 2025-10-02)\n',
    )
  })

  it('does not hold an idea twice that was had in the same words', () => {
    const once = withItems(undefined, ['Idea', 'Idea'], source)
    expect(once.match(/Idea \(/g)).toHaveLength(1)
    expect(withItems(once, ['Idea'], { ...source, run: '8' })).toBe(once)
  })

  it('stays as it is where there is nothing to add', () => {
    expect(withItems('text without end', [], source)).toBe('text without end')
  })
})
