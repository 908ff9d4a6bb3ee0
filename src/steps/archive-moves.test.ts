import { describe, expect, it } from 'vitest'
import { movesOf } from './archive-moves.ts'

const plan = {
  values: { docs: 'docs/dev_docs', archived: 'docs/dev_docs/archived' },
  folders: ['docs/dev_docs/plans', 'docs/dev_docs/reviews', 'docs/dev_docs/research'],
  prefix: '',
}

describe('what is archived', () => {
  it('the documents in the active folders move to the same folder under archived (R001-86, R001-87, C-20)', () => {
    const paths = [
      'docs/dev_docs/plans/plan_x.md',
      'docs/dev_docs/reviews/r_v1.md',
      'docs/dev_docs/research/d.md',
    ]
    expect(movesOf(paths, plan)).toEqual([
      { from: paths[0], to: 'docs/dev_docs/archived/plans/plan_x.md' },
      { from: paths[1], to: 'docs/dev_docs/archived/reviews/r_v1.md' },
      { from: paths[2], to: 'docs/dev_docs/archived/research/d.md' },
    ])
  })

  it('may get a prefix with date and feature (C-20)', () => {
    expect(movesOf(['docs/dev_docs/plans/p.md'], { ...plan, prefix: '2025-10-02_x_' })).toEqual([
      { from: 'docs/dev_docs/plans/p.md', to: 'docs/dev_docs/archived/plans/2025-10-02_x_p.md' },
    ])
  })

  it('the backlog, what is archived, and what lies elsewhere stays', () => {
    const paths = [
      ...['docs/dev_docs/backlog.md', 'docs/dev_docs/archived/plans/old.md', 'src/a.ts', 'docs/guide.md'],
      ...['docs/dev_docs_more/plans/a.md', 'docs/dev_docs/plans/deep/a.md'],
    ]
    expect(movesOf(paths, plan)).toEqual([])
  })

  it('a workflow without documents archives nothing', () => {
    expect(movesOf(['plans/a.md'], { ...plan, values: {} })).toEqual([])
  })
})
