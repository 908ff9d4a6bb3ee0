// What it costs to look on.
import { fixed, table } from './tables.mjs'

export function terminalTable({ seconds, live, plain }) {
  const row = (name, { cpuMs }, target) => [
    name,
    fixed(cpuMs),
    `${fixed(cpuMs / (seconds * 10), 2)} %`,
    target,
  ]
  return table(
    `The engine while an agent works and says nothing, over ${seconds} seconds`,
    ['terminal', 'cpu ms', 'of one core', 'target'],
    [row('--plain', plain, ''), row('moving lines', live, '< 2 %')],
  )
}
