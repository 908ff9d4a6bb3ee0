import { dirname } from 'node:path'
import { checklistOf } from '../gates/checklist.ts'
import type { Evidence, EvidentCheck } from '../forge/evidence.ts'
import { gitText } from '../git/host-git.ts'
import { readTexts } from '../git/branch-changes.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import { runFolder } from '../journal/run-folder.ts'
import { redactText } from '../journal/redact.ts'
import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import { standingLines } from '../model/undone.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { Site } from './workplace.ts'

const largestDocument = 200_000

/** Read from the journal and from the commits it names, when the branch is handed over. */
export async function collectEvidence(site: Site, request: StepRequest, tip: string): Promise<Evidence> {
  const lines = standingLines(await readWholeJournal(site.folder.journal))
  const trees = await treesOf(site, [tip, ...checkLines(lines).map(({ data }) => textOf(data['commit']))])
  // A run that goes on with the pull request of another one shows what that one has planned and had reviewed.
  const earlier = standingLines(await earlierLines(site, request))
  const plan = await planOf(site, request, [...earlier, ...lines])
  const { values, workflow } = request
  const url = textOf(values['source'])
  const closes = textOf(values['closes'])
  const cost = costOf(lines)
  return {
    task: textOf(values['task'] ?? values['goal'] ?? values['description']),
    ...(url === '' ? {} : { source: { url, ...(closes === '' ? {} : { closes }) } }),
    ...{ run: site.folder.id, workflow: workflow.name, branch: site.task.branch, base: site.base.name },
    ...{ commit: tip, tree: trees.get(tip) ?? '' },
    ...(plan === undefined ? {} : { plan }),
    points: await pointsOf(site, lines),
    checks: checkLines(lines).map((line) => checkOf(line, trees)),
    gates: metGates(lines),
    reviews: [...reviewsOf(request, earlier), ...reviewsOf(request, lines)],
    decisions: of(lines, 'person.answered').map(({ data }) => ({
      ...{ step: textOf(data['step']), verb: textOf(data['verb']), text: textOf(data['text']) },
    })),
    calls: of(lines, 'agent.started').length,
    ...(cost === undefined ? {} : { cost }),
    gaps: gapsOf(lines),
  }
}

async function earlierLines({ folder }: Site, { values }: StepRequest): Promise<readonly JournalLine[]> {
  const id = textOf(values['continues'])
  return /^\d+$/.test(id) ? readWholeJournal(runFolder(dirname(folder.journal), id).journal) : []
}

function of(lines: readonly JournalLine[], type: JournalLine['type']): JournalLine[] {
  return lines.filter((line) => line.type === type)
}

function checkLines(lines: readonly JournalLine[]): JournalLine[] {
  return of(lines, 'check.finished').filter(({ data }) => textOf(data['commit']) !== '')
}

async function treesOf(site: Site, commits: readonly string[]): Promise<Map<string, string>> {
  const asked = [...new Set(commits)]
  const names = asked.map((commit) => `${commit}^{tree}`)
  const text = await gitText(['rev-parse', ...names], { gitDir: site.repo.gitDir })
  const trees = text.split('\n')
  return new Map(asked.map((commit, index) => [commit, trees[index] ?? '']))
}

function checkOf({ data }: JournalLine, trees: ReadonlyMap<string, string>): EvidentCheck {
  const command = Array.isArray(data['command'])
    ? data['command'].map(textOf).join(' ')
    : textOf(data['command'])
  return {
    step: textOf(data['step']),
    command,
    exitCode: Number(data['exit_code']),
    tree: trees.get(textOf(data['commit'])) ?? '',
    isClean: data['checkout'] === 'clean',
  }
}

/** What the newest visit of each step met. */
function metGates(lines: readonly JournalLine[]): Evidence['gates'] {
  const newest = new Map<string, Evidence['gates'][number] & { readonly met: boolean }>()
  for (const { data } of of(lines, 'gate.checked')) {
    const [step, gate, facts] = [textOf(data['step']), textOf(data['gate']), textOf(data['facts'])]
    newest.set(`${step}/${gate}`, { step, gate, facts, met: data['met'] === true })
  }
  return [...newest.values()].filter(({ met }) => met).map(({ step, gate, facts }) => ({ step, gate, facts }))
}

/** Steps whose role gives a verdict and commits nothing itself. */
function reviewsOf({ workflow }: StepRequest, lines: readonly JournalLine[]): Evidence['reviews'] {
  const reviewing = new Set(
    workflow.steps.flatMap((step) =>
      step.type === 'agent' && step.role.commits !== 'agent' && Object.keys(step.role.verdicts).length > 0
        ? [step.id]
        : [],
    ),
  )
  return of(lines, 'step.finished')
    .filter(({ data }) => reviewing.has(textOf(data['step'])))
    .map(({ data }) => ({
      step: textOf(data['step']),
      round: Number(data['visit']),
      verdict: textOf(data['label'] ?? data['outcome']),
      path: writesIn(data)[0] ?? '',
    }))
}

/** The document that gates of later steps are held against. */
async function planOf(
  site: Site,
  { workflow }: StepRequest,
  lines: readonly JournalLine[],
): Promise<Evidence['plan']> {
  const named = workflow.steps.flatMap(({ gates }) =>
    gates.flatMap(({ name, parameters }) => (typeof parameters[name] === 'string' ? [parameters[name]] : [])),
  )
  const finished = of(lines, 'step.finished').findLast(
    ({ data }) => named.includes(textOf(data['step'])) && writesIn(data).length > 0,
  )
  const path = finished && writesIn(finished.data)[0]
  if (finished === undefined || path === undefined) return undefined
  const text = await textAt(site, textOf(finished.data['commit']), path)
  return text === '' ? undefined : { path, text: redactText(text, []) }
}

/** The checklist of the report that the last coding step left. */
async function pointsOf(site: Site, lines: readonly JournalLine[]): Promise<Evidence['points']> {
  const judged = of(lines, 'gate.checked').findLast(({ data }) => data['gate'] === 'checklist_done')
  const step = textOf(judged?.data['step'])
  const finished = of(lines, 'step.finished').findLast(({ data }) => textOf(data['step']) === step)
  const path = finished && writesIn(finished.data)[0]
  if (finished === undefined || path === undefined || step === '') return []
  return checklistOf(redactText(await textAt(site, textOf(finished.data['commit']), path), []))
}

async function textAt(site: Site, commit: string, path: string): Promise<string> {
  const name = `${commit}:${path}`
  const found = (await readTexts(site.repo, [name], largestDocument)).get(name)
  return found?.type === 'text' ? found.text : ''
}

function writesIn(data: JournalLine['data']): string[] {
  return Array.isArray(data['writes']) ? data['writes'].map(textOf) : []
}

/** Where agents report what they cost; unknown as soon as none does. */
function costOf(lines: readonly JournalLine[]): number | undefined {
  const costs = of(lines, 'agent.finished').flatMap(({ data }) =>
    typeof data['cost'] === 'number' ? [data['cost']] : [],
  )
  return costs.length === 0 ? undefined : costs.reduce((sum, one) => sum + one, 0)
}

function gapsOf(lines: readonly JournalLine[]): string[] {
  const backlog = of(lines, 'backlog.added').flatMap(({ data }) =>
    Array.isArray(data['items']) ? data['items'].map(textOf) : [],
  )
  const warned = of(lines, 'run.warned').map(({ data }) => warnings[textOf(data['about'])] ?? '')
  const remote = of(lines, 'remote.checked').flatMap(({ data }) =>
    data['answer'] === 'protected'
      ? []
      : [`The protection of '${textOf(data['branch'])}' is not established.`],
  )
  return [
    ...remote,
    ...warned.filter((one) => one !== ''),
    ...backlog.map((item) => `Left for later: ${item}`),
  ]
}

const warnings: Readonly<Record<string, string>> = {
  no_tests: 'The project had no test command when the run began.',
  lfs: 'Files in Git LFS were pointers in the worktree; files written to their paths are committed as they are.',
  base_not_fetched: 'The newest state of the base could not be fetched before it was merged.',
}
