import { join } from 'node:path'
import { firstPresent, moveOwnBranch, showTree } from '../git/borrowed-repository.ts'
import type { Recording } from '../journal/recording.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent } from '../platform/files.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { copyFile, lstatIfThere, utimes, writeFile } from '../platform/quick-files.ts'
import { filesOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'
import type { CallResult } from './next-call.ts'
import { hearAgain } from './start-agent.ts'
import type { AgentRun } from './start-agent.ts'
import { stepFolder } from './workplace.ts'

/** A call of a recorded run once more: the same changes, the same bytes, heard by the same parser. Nobody is started. */
export async function playBack(call: AgentCall, recording: Recording): Promise<AgentRun> {
  const from = join(stepFolder(recording.folder, call.key), `call-${call.call}`)
  const left = filesOf(from)
  const result = recording.value(`${call.key}/call/${call.call}`) as CallResult | undefined
  await repeatChanges(call, recording, result)
  await ensureDirectory(call.dir)
  await writeFile(filesOf(call.dir).errors, (await readTextIfPresent(left.errors)) ?? '')
  const end = endOf(call, recording)
  if (end.type !== 'exited') return { end, ...stoppedBy(result) }
  await requireStream(call, from)
  return hearAgain(call, end, from)
}

/** How a process that was stopped came to its end is nothing that its stream says. */
function stoppedBy(result: CallResult | undefined): Pick<AgentRun, 'stopped'> {
  if (result?.type !== 'error') return {}
  const { error, detail, resetsAt } = result
  return { stopped: { error, message: detail, ...(resetsAt === undefined ? {} : { resetsAt }) } }
}

function endOf({ key, call }: AgentCall, recording: Recording): ProcessEnd {
  const word = textOf(recording.note('agent.finished', key, call)?.data['end'])
  if (word === '') throw missing(recording.folder.id, `how call ${call} of '${key}' ended`)
  const code = /^exit (\d+)$/.exec(word)?.[1]
  return code === undefined ? { type: 'aborted' } : { type: 'exited', code: Number(code) }
}

/** What a tool without a stream printed is its answer; of the others both the stream and the home are asked. */
async function requireStream(call: AgentCall, from: string): Promise<void> {
  const left = filesOf(from)
  const { id } = call.site.folder
  if ((await lstatIfThere(left.home)) === undefined) throw missing(id, left.home)
  const printed = hasParser(call, left.home) ? left.stream : left.answer
  if ((await lstatIfThere(printed)) === undefined) throw missing(id, printed)
  if (printed === left.answer) await copyFile(left.answer, filesOf(call.dir).answer)
}

function hasParser({ site, step }: AgentCall, home: string): boolean {
  try {
    return site.provider(step.role.provider).parse?.(home) !== undefined
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw missing(site.folder.id, home)
  }
}

/** Where the engine itself writes what an answer holds, it does so again by itself. */
async function repeatChanges(
  call: AgentCall,
  recording: Recording,
  result: CallResult | undefined,
): Promise<void> {
  const { site, step } = call
  const names = treesAfter(call, recording, result)
  if (names.length === 0 || step.role.edits === 'engine') return
  const tree =
    (await firstPresent(
      site.repo,
      names.filter((name) => !isRef(name)),
    )) ?? (await firstPresent(recording, names.filter(isRef)))
  if (tree === undefined) throw missing(site.folder.id, `what '${call.key}' changed (${names[0]})`)
  await showTree(site.task, tree)
  if (result?.type !== 'answered') return
  await moveOwnBranch(site.task, call.gitDir, result.facts.tip)
  // Written with the words that stood there already: git sees no change, the engine does.
  const now = Date.now() / 1000
  for (const path of result.facts.written)
    await unlessMissing(utimes(join(site.task.worktree, path), now, now))
}

/** A snapshot has its number in the repository that the run was made in. */
function isRef(name: string): boolean {
  return name.startsWith('refs/')
}

/** Names of the tree that the call left, the best first; none where nobody knows, or it left what it found. */
function treesAfter(
  { key, call }: AgentCall,
  recording: Recording,
  result: CallResult | undefined,
): readonly string[] {
  if (result?.type === 'answered') return [result.facts.tree, ...keptTree(recording, key)]
  if (result?.type === 'out_of_scope') return [result.snapshot].filter(isRef)
  const isLast = recording.value(`${key}/call/${call + 1}`) === undefined
  const undone = textOf(recording.value(`${key}/undone`))
  return isLast && isRef(undone) ? [undone] : []
}

/** With the engine's own files in it, if the agent's tree alone is not there any more. */
function keptTree(recording: Recording, key: string): string[] {
  const work = recording.value(`${key}/work`) as { readonly tree?: string } | undefined
  return work?.tree === undefined ? [] : [work.tree]
}

function missing(run: string, what: string): FailureError {
  return new FailureError({
    code: 'replay.missing',
    message: `The recording of run ${run} is not whole: ${what} is missing.`,
    next: `baton show ${run}   (a run can be replayed while its folder and its refs are there)`,
    exitCode: exitCodes.usage,
  })
}
