import { providerNames } from '../../agents/registry.ts'
import { listWorkflows } from '../../config/list-workflows.ts'
import { loadSettings } from '../../config/load-settings.ts'
import { readWorkflow } from '../../config/load-workflow.ts'
import { glanceAt } from '../../journal/glance.ts'
import { listRunIds, runFolder } from '../../journal/run-folder.ts'
import { FailureError } from '../../model/failure.ts'
import { activeRuns } from '../active-runs.ts'
import type { Command } from '../command.ts'
import { wantedAt } from '../complete-words.ts'
import type { Candidate, CommandTree, NamedRuns, ValueKind, Wanted } from '../complete-words.ts'
import { completionScripts } from '../completion-scripts.ts'
import { openLayers, openProject } from '../project.ts'

export async function completion({ output }: Command, shell: string): Promise<number> {
  const script = completionScripts[shell]
  const shells = Object.keys(completionScripts)
  if (script === undefined) {
    throw new FailureError({
      code: 'completion.shell',
      message: `There is no completion for '${shell}', only for ${shells.join(', ')}.`,
      next: 'baton completion bash',
    })
  }
  output.result(script, { shell, script })
  return 0
}

/** What the scripts ask. Never a complaint: the person is in the middle of typing. */
export async function complete(
  command: Command,
  tree: CommandTree,
  words: readonly string[],
): Promise<number> {
  const wanted = wantedAt(tree, words)
  const current = words.at(-1) ?? ''
  const candidates = wanted.type === 'words' ? wanted.candidates : await valuesOf(command, wanted)
  const fitting = candidates.filter(([word]) => word === filesWanted || word.startsWith(current))
  const text = fitting.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)).join('\n')
  command.output.result(
    text,
    fitting.map(([word, meaning]) => ({ word, meaning })),
  )
  return 0
}

type Value = Exclude<Wanted, { type: 'words' }>

async function valuesOf({ surroundings }: Command, wanted: Value): Promise<readonly Candidate[]> {
  try {
    if (wanted.type === 'named') return await namesOf(surroundings, wanted.runs)
    return await sources[wanted.kind](surroundings)
  } catch (error) {
    if (error instanceof FailureError) return []
    throw error
  }
}

/** Of the runs that somebody can go on with. */
async function namesOf({ cwd, env }: Command['surroundings'], of: NamedRuns): Promise<readonly Candidate[]> {
  const { runsDir } = await openProject(cwd, env)
  const active = await activeRuns(runsDir, of)
  return active.map(({ id, state }) => [id, `run ${state.run}: ${shortened(state.task)}`])
}

type Source = (from: Command['surroundings']) => Promise<readonly Candidate[]>

/** The shell knows better what files there are. */
const filesWanted = ':files'

/** As many as a screen can show; older runs have to be typed. */
const newest = 30

const sources: Readonly<Record<ValueKind, Source>> = {
  async run({ cwd, env }) {
    const { runsDir } = await openProject(cwd, env)
    const ids = (await listRunIds(runsDir)).toReversed().slice(0, newest)
    const found = await Promise.all(ids.map(async (id) => glanceAt(runFolder(runsDir, id))))
    return found.map(({ run, status, task }) => [run, `${status}: ${shortened(task)}`])
  },
  async workflow({ cwd, env }) {
    const listed = await listWorkflows(await openLayers(cwd, env))
    return listed
      .filter(({ hiddenBy }) => hiddenBy === undefined)
      .map(({ name, description }) => [name, shortened(description)])
  },
  async mode({ cwd, env }) {
    const layers = await openLayers(cwd, env)
    const found = new Set<string>()
    for (const { name } of await listWorkflows(layers)) {
      const { file } = await readWorkflow(name, layers)
      for (const mode of Object.keys(file.modes ?? {})) found.add(mode)
    }
    return [...found].map((mode) => [mode, ''])
  },
  provider: async (from) => [...providerNames, ...(await ownTools(from))].map((name) => [name, '']),
  file: async () => [[filesWanted, '']],
  any: async () => [],
}

/** Those that the settings name; settings that cannot be read are told by every other command. */
async function ownTools({ cwd, env }: Command['surroundings']): Promise<readonly string[]> {
  try {
    const { settings } = await loadSettings({ layers: await openLayers(cwd, env), flags: {}, env })
    return Object.keys(settings.providers)
  } catch (error) {
    if (error instanceof FailureError) return []
    throw error
  }
}

function shortened(text: string): string {
  const [first = ''] = text.split('\n', 1)
  return first.length > 60 ? `${first.slice(0, 57)}...` : first
}
