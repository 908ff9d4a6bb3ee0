// Tables of what must not grow: the cost of a step, a resume, a list, a snapshot.
import { fixed, table } from './tables.mjs'

export function growthTables({ steps, resume, show, list }) {
  const over = (side, floor) => `${fixed(side.median - floor.median)} ms`
  return [
    table(
      `A step of a run of ${steps.count} (ms, from the journal)`,
      ['steps', 'median', 'min', 'max', 'ratio', 'target'],
      [
        ['the first 100', ...range(steps.first), '', ''],
        ['the last 100', ...range(steps.last), fixed(steps.last.median / steps.first.median, 2), 'about 1'],
      ],
    ),
    table(
      `Resuming a journal of ${resume.events} events (medians of ${resume.long.rounds} rounds, ms)`,
      ['command', 'median', 'min', 'max', 'over start-up', 'target'],
      [
        ['baton --version', ...range(resume.nothing), '', ''],
        ['resume, one step recorded', ...range(resume.short), '', ''],
        [
          `resume, ${resume.events} events recorded`,
          ...range(resume.long),
          over(resume.long, resume.short),
          '< 150 ms',
        ],
      ],
    ),
    table(
      `Looking at a journal of ${show.events} events (medians of ${show.long.rounds} rounds, ms)`,
      ['command', 'median', 'min', 'max', 'over one step', 'target'],
      [
        ['show, one step recorded', ...range(show.short), '', ''],
        [`show, ${show.events} events`, ...range(show.long), over(show.long, show.short), '< 150 ms'],
      ],
    ),
    table(
      `Listing ${list.runs} runs, ${fixed(list.bytes / 1024)} KB of journal each (medians of ${list.many.rounds} rounds, ms)`,
      ['command', 'median', 'min', 'max', 'ratio', 'target'],
      [
        ['baton --version', ...range(list.none), '', ''],
        ['baton runs', ...range(list.many), fixed(list.many.median / list.none.median, 2), '< 300 ms'],
      ],
    ),
  ]
}

export function goalTable({ steps, subPlans, events, sample, time, memory, live }) {
  const row = ({ first, second, last }) => [
    ...[first, second, last].map(({ median }) => fixed(median, 1)),
    ...[first, second].map(({ median }) => fixed(last.median / median, 2)),
  ]
  return table(
    `A goal of ${steps} steps and ${subPlans} sub-plans, ${events} events (medians)`,
    ['of', `first ${sample} steps`, `next ${sample}`, `last ${sample}`, 'last:first', 'last:next', 'target'],
    [
      ['time of a step (ms)', ...row(time), 'about 1'],
      ['memory of the engine (MB)', ...row(memory), 'about 1'],
      ['of that alive in the heap', ...row(live), 'about 1'],
    ],
  )
}

export function snapshotTable({ rows }) {
  return table(
    'A snapshot after one file has changed (ms, floor: add, write-tree, commit-tree, update-ref)',
    ['files', 'floor', 'snapshot', 'min', 'max', 'ratio'],
    rows.map(({ files, floor, snapshot }) => [
      String(files),
      fixed(floor.median),
      ...range(snapshot),
      fixed(snapshot.ratio.median, 2),
    ]),
  )
}

function range({ median, min, max }) {
  return [fixed(median), fixed(min), fixed(max)]
}
