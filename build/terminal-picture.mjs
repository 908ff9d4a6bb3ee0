// From what stands on a terminal to a picture of it:
//   tmux capture-pane -e -p | node build/terminal-picture.mjs >docs/terminal.svg
import { readFileSync } from 'node:fs'

const cell = { width: 8.43, height: 18 }
const margin = 14
const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 36: '#76e3ea' }
// What changes the look of what follows it.
const change = new RegExp(String.raw`(${String.fromCharCode(27)}\[[\d;]*m)`)
const plain = { fill: '#e6edf3', opacity: 1 }

const lines = readFileSync(0, 'utf8').trimEnd().split('\n')
let look = plain
const rows = lines.map((line, index) => {
  const y = margin + (index + 0.8) * cell.height
  return `<text x="${margin}" y="${y.toFixed(1)}" xml:space="preserve">${spansOf(line).join('')}</text>`
})
const columns = Math.max(
  ...lines.map(
    (line) =>
      line
        .split(change)
        .filter((part) => !change.test(part))
        .join('').length,
  ),
)
const width = Math.ceil(2 * margin + columns * cell.width)
const height = Math.ceil(2 * margin + lines.length * cell.height)

process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${rows.join('\n')}
</g>
</svg>
`)

/** A look holds until it is changed, also over the end of a line. */
function spansOf(line) {
  return line.split(change).flatMap((part) => {
    if (!change.test(part)) return part === '' ? [] : [span(part)]
    for (const code of part.slice(2, -1).split(';')) look = changed(code === '' ? '0' : code)
    return []
  })
}

function changed(code) {
  if (code === '0') return plain
  if (code === '2') return { ...look, opacity: 0.65 }
  return code in colours ? { ...look, fill: colours[code] } : look
}

function span(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<tspan fill="${look.fill}" opacity="${look.opacity}">${escaped}</tspan>`
}
