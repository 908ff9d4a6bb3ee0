/** Looks and behaviour of the report page: part of the file, so that it needs no network and can be mailed. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --warn: #d29922; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; white-space: pre-line; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: GrayText; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: 0 .7rem; }
details details { background: var(--soft); }
details { scroll-margin-top: 4rem; }
summary { cursor: pointer; padding: .45rem 0; overflow-wrap: anywhere; }
summary:focus-visible, input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; margin: .3rem 0 .7rem; max-height: 40rem; }
.ok { color: var(--good); } .revise, .escalate { color: var(--warn); } .failed, .blocked, .unmet { color: var(--bad); }
.bar { display: grid; grid-template-columns: minmax(7rem, 13rem) 1fr 4.5rem; gap: .5rem; align-items: center; font-size: .9rem; }
.bar a { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: inherit; }
.track { position: relative; height: .8rem; background: var(--soft); border-radius: .2rem; }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: .2rem; background: currentColor; }
.tools { position: sticky; top: 0; background: Canvas; padding: .5rem 0; display: flex; gap: .5rem; flex-wrap: wrap; align-items: center; z-index: 1; }
.tools input { flex: 1 1 12rem; font: inherit; padding: .3rem .5rem; } .tools button { font: inherit; padding: .3rem .6rem; }
.muted { color: GrayText; } .added { color: var(--good); } .removed { color: var(--bad); }
[hidden] { display: none; }
@media (max-width: 40rem) { .bar { grid-template-columns: 7rem 1fr; } .bar span:last-child { display: none; } }
@media print { .tools { display: none; } }
`

export const pageScript = `
const search = document.getElementById('search')
const found = document.getElementById('found')
const cards = [...document.querySelectorAll('[data-card]')]
const texts = cards.map((card) => card.textContent.toLowerCase())
function look() {
  const wanted = search.value.trim().toLowerCase()
  let count = 0
  cards.forEach((card, at) => {
    const fits = texts[at].includes(wanted)
    card.hidden = !fits
    if (fits) count += 1
    if (wanted !== '' && card.tagName === 'DETAILS') {
      card.open = fits
      for (const inner of card.querySelectorAll('details')) inner.open = inner.textContent.toLowerCase().includes(wanted)
    }
  })
  found.textContent = wanted === '' ? '' : count + ' of ' + cards.length
}
function fold(open) {
  for (const one of document.querySelectorAll('details')) one.open = open
}
search.addEventListener('input', look)
document.getElementById('unfold').addEventListener('click', () => fold(true))
document.getElementById('fold').addEventListener('click', () => fold(false))
document.addEventListener('keydown', (event) => {
  if (event.target === search) {
    if (event.key === 'Escape') { search.value = ''; look(); search.blur() }
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/') { event.preventDefault(); search.focus() }
  if (event.key === 'o') fold(true)
  if (event.key === 'c') fold(false)
})
function showTarget() {
  const target = location.hash === '' ? undefined : document.getElementById(location.hash.slice(1))
  if (target instanceof HTMLDetailsElement) target.open = true
}
addEventListener('hashchange', showTarget)
showTarget()
`
