import { asItIs, markup } from './html.ts'
import type { Html } from './html.ts'
import type { ReportTable } from './words.ts'

/** A table of the report page. Each is one card of the search, so that it is found by what stands in it. */
export function pageTable({ title, kind, note, header, rows }: ReportTable, at: number): Html {
  const cell = (tag: string, text: string, place: number): Html =>
    asItIs(
      `<${tag}${kind === 'words' || place === 0 ? '' : ' class="number"'}>${markup`${text}`.html}</${tag}>`,
    )
  const line = (tag: string, cells: readonly string[]): Html =>
    markup`<tr>
      ${cells.map((text, place) => cell(tag, text, place))}
    </tr>`
  const table = markup`<div class="scroll">
    <table>
      <thead>
        ${line('th', header)}
      </thead>
      <tbody>
        ${rows.map((row) => line('td', row))}
      </tbody>
    </table>
  </div>`
  return markup`<section aria-labelledby="table-${at}" data-card>
    <h2 id="table-${at}">${title}</h2>
    ${note === '' ? '' : markup`<p class="muted">${note}</p>`} ${rows.length === 0 ? '' : table}
  </section>`
}
