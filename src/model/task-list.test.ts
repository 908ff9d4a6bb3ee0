import { describe, expect, it } from 'vitest'
import { markTasks, problemLines, readTaskList } from './task-list.ts'

const text = `---
owner: somebody
---
# Tasks

## 1. Data

- [ ] 1.1 Add the table
      with an index
  - [ ] the migration
- [x] 1.2 **Fill** it

\`\`\`
- [ ] 9.9 not a task
\`\`\`

## 2. Pages
* [ ] **2.1** Show it
- [a link](x.md) is none
`

describe('a task list', () => {
  it('R002-59: has ids of the form <layer>.<n>, and may have front matter, headings and details', () => {
    const { tasks, problems } = readTaskList(text)
    expect(problems).toEqual([])
    expect(tasks).toEqual([
      ...[{ id: '1.1', title: 'Add the table', details: 'with an index\n- [ ] the migration' }].map(
        (task) => ({
          ...{ ...task, section: '1. Data', line: 8, done: false },
        }),
      ),
      { id: '1.2', title: '**Fill** it', details: '', section: '1. Data', line: 11, done: true },
      { id: '2.1', title: 'Show it', details: '', section: '2. Pages', line: 18, done: false },
    ])
  })

  it.each([
    ['nothing in it', '', "1: there is no task: write '- [ ] 1.1 <what to do>'"],
    ['front matter without an end', '---\na: b\n', "1: the front matter has no end: close it with '---'"],
    [
      'a task without a number',
      '# T\n- [ ] do it\n',
      "2: a task needs a number such as 1.1 and a title: '- [ ] 1.1 <what to do>'",
    ],
    ['a box that is none', '- [ ] 1.1 a\n- [y] 1.2 b\n', "2: a box is '[ ]' or '[x]', not '[y]'"],
    ['an empty box', '- [] 1.1 a\n', "1: a box is '[ ]' or '[x]', not '[]'"],
    ['the same number twice', '- [ ] 1.1 a\n\n- [ ] 1.1 b\n', '3: task 1.1 stands on line 1 already'],
  ])('is refused with the line, where it has %s', (_what, broken, expected) => {
    expect(problemLines('tasks.md', readTaskList(broken).problems)).toBe(`tasks.md:${expected}`)
  })

  it('is marked box by box, and stays as it was otherwise', () => {
    const marked = markTasks(text, { done: ['1.1'], open: ['1.2'] })
    expect(marked).toBe(text.replace('[ ] 1.1', '[x] 1.1').replace('[x] 1.2', '[ ] 1.2'))
  })
})
