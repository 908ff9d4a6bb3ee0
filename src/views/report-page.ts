import { createHash } from 'node:crypto'
import type { JournalLine } from '../model/event.ts'
import type { RunState } from '../model/run-state.ts'
import { asItIs, markup } from './html.ts'
import type { Html } from './html.ts'
import { pageScript, pageStyle } from './page-style.ts'
import { pageSteps } from './page-steps.ts'
import { pageTable } from './page-table.ts'
import type { PageCall, PageFact, PageStep } from './page-steps.ts'
import { terminalLine } from './terminal-lines.ts'
import { firstLine, timeBetween, wallsWords, workTime } from './words.ts'
import type { ReportTable } from './words.ts'

export interface PageSource {
  readonly state: RunState
  readonly lines: readonly JournalLine[]
  /** Contents of the files that the journal names, by path; what is missing was not kept. */
  readonly texts: ReadonlyMap<string, string>
  /** What each commit changed, by its id. */
  readonly diffs: ReadonlyMap<string, string>
  /** What it cost, what the firewall said. */
  readonly tables: readonly ReportTable[]
}

/** A run as one HTML file: nothing is loaded from anywhere, nothing in it is taken as markup. */
export function reportPage(source: PageSource): string {
  const { state } = source
  const steps = pageSteps(source.lines)
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digestOf(pageScript)}'"
        />
        <title>Baton run ${state.run}: ${firstLine(state.task)}</title>
        <style>
          ${asItIs(pageStyle)}
        </style>
      </head>
      <body>
        ${heading(state)}
        <div class="tools" role="search">
          <input
            id="search"
            type="search"
            aria-label="Search steps and lines"
            placeholder="Search (press /)"
          />
          <button id="unfold" type="button">Open all</button
          ><button id="fold" type="button">Close all</button>
          <span id="found" class="muted" role="status"></span>
        </div>
        <main>
          <section aria-labelledby="time">
            <h2 id="time">Timeline</h2>
            ${timeline(state, steps)}
          </section>
          <section aria-labelledby="steps">
            <h2 id="steps">Steps</h2>
            ${steps.map((step, at) => stepCard(step, at, source))}
          </section>
          ${source.tables.map(pageTable)}
          <section aria-labelledby="journal">
            <h2 id="journal">Journal</h2>
            <details data-card>
              <summary>${source.lines.length} lines</summary>
              <pre>${spoken(source.lines)}</pre>
            </details>
          </section>
        </main>
        <script>${asItIs(pageScript)}</script>
      </body>
    </html> `
  return page.html
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function heading(state: RunState): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['status', state.reason === '' ? state.status : `${state.status}: ${state.reason}`],
    ['workflow', state.mode === '' ? state.workflow : `${state.workflow} (${state.mode})`],
    ['branch', state.branch],
    ['base', state.base],
    ['walls', wallsWords(state.walls)],
    ['started', state.startedAt],
    ['time', workTime(state)],
    ['question', state.question],
  ]
  const given = rows.filter(([, value]) => value !== '')
  return markup`<header>
    <h1>${state.task}</h1>
    <dl>
      ${given.map(
        ([name, value]) =>
          markup`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </header>`
}

function timeline({ startedAt, updatedAt }: RunState, steps: readonly PageStep[]): Html[] {
  const begin = Date.parse(startedAt)
  const whole = Math.max(1, Date.parse(updatedAt) - begin)
  const share = (at: string): number => Math.round(((Date.parse(at) - begin) / whole) * 1000) / 10
  return steps.map((step, at) => {
    const from = share(step.startedAt)
    const to = share(step.finishedAt || updatedAt)
    return markup`<div class="bar ${step.outcome}">
      <a href="#step-${at + 1}">${nameOf(step)}</a
      ><span class="track"><i style="left:${from}%;width:${Math.max(0, to - from)}%"></i></span
      ><span class="muted">${timeBetween(step.startedAt, step.finishedAt || updatedAt)}</span>
    </div>`
  })
}

function stepCard(step: PageStep, at: number, source: PageSource): Html {
  const end = step.outcome === '' ? 'under way' : step.outcome
  const label = step.label === '' || step.label === step.outcome ? '' : `, ${step.label}`
  return markup`<details data-card id="step-${at + 1}">
    <summary>
      <b>${nameOf(step)}</b> <span class="muted">${step.role}</span>
      <span class="${step.outcome}">${end}${label}</span>
      <span class="muted">${timeBetween(step.startedAt, step.finishedAt)}</span>
    </summary>
    ${step.reason === '' ? '' : markup`<pre>${step.reason}</pre>`}
    ${
      step.facts.length === 0
        ? ''
        : markup`<details open>
            <summary>Evidence (${step.facts.length})</summary>
            ${step.facts.map(factOf)}
          </details>`
    }
    ${step.calls.map((call) => callOf(call, source))}
    ${step.writes.length === 0 ? '' : markup`<p>Wrote ${step.writes.join(', ')}</p>`}
    ${step.commits.map(
      (commit) =>
        markup`<details>
          <summary>Commit ${commit.slice(0, 12)}</summary>
          <pre>${diffOf(source.diffs.get(commit))}</pre>
        </details>`,
    )}
  </details>`
}

function factOf({ name, met, text }: PageFact): Html {
  return markup`<p><b class="${met ? 'ok' : 'unmet'}">${met ? 'met' : 'not met'}</b> ${name}</p>
    <pre>${text}</pre>`
}

function callOf({ call, provider, model, prompt, answer, end }: PageCall, { texts }: PageSource): Html {
  const who = model === '' ? provider : `${provider}, ${model}`
  return markup`<details>
    <summary>Call ${call}: ${who}, ${end}</summary>
    <details>
      <summary>Prompt</summary>
      <pre>${texts.get(prompt) ?? 'not kept'}</pre>
    </details>
    <details>
      <summary>Answer</summary>
      <pre>${texts.get(answer) ?? 'not kept'}</pre>
    </details>
  </details>`
}

function diffOf(text: string | undefined): Html[] {
  return (text ?? 'not kept').split('\n').map((line) => {
    if (line.startsWith('+')) return markup`<span class="added">${line}</span> `
    if (line.startsWith('-')) return markup`<span class="removed">${line}</span> `
    return markup`${line} `
  })
}

function spoken(lines: readonly JournalLine[]): string {
  return lines.map((line) => terminalLine(line) ?? `${line.ts} ${line.type} ${line.role}`).join('\n')
}

function nameOf({ step, visit }: PageStep): string {
  return visit > 1 ? `${step} (round ${visit})` : step
}
