import type { Evidence, EvidentCheck } from './evidence.ts'

/** The largest text that every forge takes. */
const largest = 60_000

/** The description of a pull request, made from evidence. Texts of others are quoted, so that they head nothing here. */
export function requestBody(evidence: Evidence): string {
  const sections = [
    section('Asked for', [quote(evidence.task, 4000), ...sourceLines(evidence)]),
    section('Plan', planLines(evidence)),
    section('Accepted by', pointLines(evidence)),
    section('Checks that the engine ran', evidence.checks.map(checkLine)),
    section(
      'Gates',
      evidence.gates.map(({ step, gate, facts }) => `- ${step}, ${code(gate)}: ${plain(facts, 300)}`),
    ),
    section('Reviews', reviewLines(evidence)),
    section('Decided by people', decisionLines(evidence)),
    section('Known gaps', gapLines(evidence)),
    `---\n${mark}\nRun ${evidence.run} of the workflow ${code(evidence.workflow)}: ${costWords(evidence)}. Branch ${code(evidence.branch)} at commit ${code(evidence.commit)}, tree ${code(evidence.tree)}.`,
  ]
  const text = sections.filter((one) => one !== '').join('\n\n')
  return text.length <= largest ? `${text}\n` : `${text.slice(0, largest)}\n\n(cut here)\n`
}

/** Readers do not see it; it tells a description of ours from one that a person wrote. */
const mark = '<!-- made by baton -->'

export function isOwnBody(text: string): boolean {
  return text.includes(mark)
}

/** One line, short enough for a list. */
export function requestTitle(task: string): string {
  const [first = ''] = visible(task).trim().split('\n', 1)
  const line = first.replace(/^#+\s*/, '').trim()
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`
}

function sourceLines({ source }: Evidence): string[] {
  if (source === undefined) return []
  return ['', source.closes === undefined ? `From ${source.url}` : `Closes ${source.closes} (${source.url})`]
}

function planLines({ plan }: Evidence): string[] {
  if (plan === undefined) return []
  const fence = '`'.repeat(Math.max(3, ...[...plan.text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  const text = visible(plan.text).slice(0, 12_000)
  return [
    ...['<details>', `<summary>${plain(plan.path, 200)}</summary>`, ''],
    ...[`${fence}markdown`, text, fence, '', '</details>'],
  ]
}

/** Every point stands beside the command that was run on the very tree that is offered. */
function pointLines({ points, checks, tree }: Evidence): string[] {
  const proof = checks.findLast((check) => check.tree === tree)
  const shown = proof === undefined ? 'no command ran on this tree' : proofOf(proof)
  return points.map(({ text, done }) => `- [${done ? 'x' : ' '}] ${plain(text, 400)} (${shown})`)
}

function proofOf({ command, exitCode, tree }: EvidentCheck): string {
  return `${code(command)} gave ${exitCode} on tree ${code(tree.slice(0, 12))}`
}

function checkLine(check: EvidentCheck): string {
  return `- ${check.step}: ${proofOf(check)}${check.isClean ? ', in a clean checkout' : ''}`
}

function reviewLines({ reviews }: Evidence): string[] {
  return reviews.map(
    ({ step, round, verdict, path }) =>
      `- ${step}, round ${round}: **${plain(verdict, 60)}**${path === '' ? '' : ` (${code(path)})`}`,
  )
}

function decisionLines({ decisions }: Evidence): string[] {
  return decisions.map(
    ({ step, verb, text }) => `- ${step}: ${verb}${text === '' ? '' : `: ${plain(text, 300)}`}`,
  )
}

function gapLines({ gaps }: Evidence): string[] {
  return gaps.length === 0 ? ['None that the run knows of.'] : gaps.map((gap) => `- ${plain(gap, 300)}`)
}

function costWords({ calls, cost }: Evidence): string {
  return `${calls} calls of agents, ${cost === undefined ? 'cost not reported' : `cost ${cost.toFixed(2)} USD`}`
}

function quote(text: string, most: number): string {
  const shown = visible(text).trim()
  const cut = shown.length <= most ? shown : `${shown.slice(0, most)}\n(cut here)`
  return quiet(cut)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

function plain(text: string, most: number): string {
  const line = visible(text).replaceAll(/\s+/g, ' ').trim()
  return quiet(line.length <= most ? line : `${line.slice(0, most)}...`)
}

function code(text: string): string {
  const line = visible(text).replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim()
  return line === '' ? '' : `\`${line}\``
}

/** Nobody is called by what an agent or an issue wrote, nothing is closed by it, and no tag of it is read. */
function quiet(text: string): string {
  return text
    .replaceAll(/@(?=\w)/g, '@\u200B')
    .replaceAll('<', '&lt;')
    .replaceAll(/\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(:?\s+)(?=\S*#\d)/gi, '$1\u200B$2')
}

/** Without control characters. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '')
}
