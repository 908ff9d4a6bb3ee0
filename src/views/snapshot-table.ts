/** What there is to say about a snapshot, wherever it comes from. */
export interface SnapshotRow {
  readonly number: number
  readonly date: string
  readonly step: string
  readonly subject: string
  readonly changed?: number
  /** Bytes of what lies beside it in archives. */
  readonly beside: number
}

/** `baton restore <run>`. */
export function snapshotTable(rows: readonly SnapshotRow[]): string {
  return columns([header, ...rows.map(cells)])
}

const header = ['N', 'WHEN', 'STEP', 'FILES', 'WHAT']

function cells({ number, date, step, subject, changed, beside }: SnapshotRow): string[] {
  const more = beside === 0 ? '' : ` (and ${formatBytes(beside)} that git does not keep)`
  return [
    String(number),
    date.slice(0, 19).replace('T', ' '),
    step || '-',
    String(changed ?? '?'),
    `${subject}${more}`,
  ]
}

/** Every column as wide as its widest cell, the last one as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}
