// What an agent step costs over the tool itself.
import { fixed, table } from './tables.mjs'

export function agentTables(results) {
  return Object.entries(results).map(([kind, result]) =>
    result ? toolTable(kind, result) : `${kind} is not installed: npm run test:agents installs it`,
  )
}

function toolTable(kind, { bare, one, more, stepMs }) {
  const row = (name, { median, min, max, ratio }) => [
    ...[name, fixed(median), fixed(min), fixed(max), fixed(ratio.median, 2)],
  ]
  return table(
    `${kind}: an agent step over the tool started by hand (medians of ${bare.rounds} rounds, ms)`,
    ['side', 'wall', 'min', 'max', 'ratio'],
    [
      row('the tool by hand', bare),
      row('baton run, one step', one),
      row('baton run, three steps', more),
      ['each further step', fixed(stepMs), '', '', fixed(stepMs / bare.median, 2)],
    ],
  )
}
