import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runSummary } from '../../../src/views/run-summary.ts'
import { terminalLine } from '../../../src/views/terminal-lines.ts'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../git.ts'
import { play } from '../run.ts'
import type { Played } from '../run.ts'
import { honestRoles, projectFiles } from './honest.ts'
import type { Liar } from './liar.ts'

// Runs side by side in one process each keep a few shells, and each shell listens for the end of the process.
process.setMaxListeners(100)

export interface AgentsPlayed extends Played {
  readonly root: string
  /** Where the task branch began, and main as it was. */
  readonly start: string
  readonly main: string
  /** All that a person reads: the lines on the terminal, then `baton show`. */
  readonly shown: string
}

/** The whole workflow, or from the step at which the liar begins; whoever is not the liar is honest. */
export async function playAgents(liar?: Liar): Promise<AgentsPlayed> {
  const root = await makeProject()
  const start = await gitIn(root, 'rev-parse', 'HEAD')
  if (liar?.later) {
    await writeFiles(root, liar.later)
    await commitAll(root, 'meanwhile')
  }
  const main = await gitIn(root, 'rev-parse', 'HEAD')
  const told = liar?.told ?? liar?.step ?? 'plan'
  const script = join(root, '.git', 'script.json')
  const steps = liar ? { steps: { [told]: [liar.does] } } : {}
  await writeFile(script, JSON.stringify({ roles: honestRoles, ...steps }))
  const played = await play({
    ...{ repository: root, script, task: 'Make it dark', mode: liar?.mode ?? told },
    ...{ from: start, flags: { workflow: 'honest', base: 'main' } },
  })
  const lines = played.lines.flatMap((line) => terminalLine(line) ?? [])
  return { ...played, root, start, main, shown: [...lines, runSummary(played.state, '')].join('\n') }
}

let template: Promise<string> | undefined

async function makeProject(): Promise<string> {
  const root = join(await makeFolder(), 'project')
  await cp(await (template ??= makeTemplate()), root, { recursive: true })
  return root
}

/** With two commits, so that there is a history to rewrite. */
async function makeTemplate(): Promise<string> {
  const root = await makeRepository(projectFiles)
  await writeFiles(root, { 'README.md': 'A small project, described.\n' })
  await commitAll(root, 'docs: describe it')
  return root
}
