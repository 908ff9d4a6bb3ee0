import { assert, array, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderItems } from './order-items.ts'

describe('the order of items', () => {
  it('is as listed where nothing depends on anything', () => {
    const ordered = orderItems([{ id: 'b' }, { id: 'a' }], [])
    expect(ordered).toMatchObject({ type: 'ordered', items: [{ id: 'b' }, { id: 'a' }] })
  })

  it('takes ids and dependencies that are numbers', () => {
    const ordered = orderItems([{ id: 1, depends_on: [2] }, { id: 2 }], [])
    expect(ordered).toMatchObject({ type: 'ordered', items: [{ id: '2' }, { id: '1' }] })
  })

  it('refuses an item that depends on itself', () => {
    expect(orderItems([{ id: 'a', depends_on: ['a'] }], [])).toMatchObject({ type: 'refused' })
  })

  it('keeps the order among what only names', () => {
    const list = [{ id: 'a', depends_on: ['c'] }, { id: 'b' }, { id: 'c' }]
    expect(orderItems(list, ['a', 'c'])).toMatchObject({ items: [{ id: 'c' }, { id: 'a' }] })
  })

  it('puts every item after all that it depends on, each once, whatever the list (R004-16)', () => {
    const items = array(array(integer({ min: 0, max: 9 }), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
    assert(
      property(items, (wanted) => {
        // Only what stands before an item in the shuffled numbering may be depended on, so there is no cycle.
        const list = wanted.map((deps, index) => ({
          id: `T${index}`,
          depends_on: [...new Set(deps.filter((dep) => dep > index && dep < wanted.length))].map(
            (dep) => `T${dep}`,
          ),
        }))
        const ordered = orderItems(list, [])
        if (ordered.type === 'refused') throw new Error(ordered.reason)
        const done = new Set<string>()
        for (const { id, dependsOn } of ordered.items) {
          expect(dependsOn.every((dep) => done.has(dep))).toBe(true)
          done.add(id)
        }
        expect(done.size).toBe(list.length)
      }),
    )
  })
})
