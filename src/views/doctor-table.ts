/** One line of `baton doctor`. */
export interface DoctorRow {
  readonly name: string
  /** `mended` where `--fix` has put it right, `-` for a tool that nobody needs here. */
  readonly state: 'ok' | 'not ok' | 'mended' | '-'
  readonly says: string
  readonly mend?: string
}

/** What is ready and what is not, one below the other; what mends it stands below it. */
export function doctorTable(rows: readonly DoctorRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.flatMap(({ name, state, says, mend }) => [
    `${state.padEnd(6)}  ${name.padEnd(width)}  ${says}`,
    ...(mend === undefined ? [] : [`${' '.repeat(6 + 2 + width + 2)}${mend}`]),
  ])
  return [...lines, closing(rows)].join('\n')
}

function closing(rows: readonly DoctorRow[]): string {
  const missing = rows.filter(({ state }) => state === 'not ok').map(({ name }) => name)
  if (missing.length > 0) return `Missing: ${missing.join(', ')}.`
  return 'Ready. Next: baton run "<what you want done>"'
}
