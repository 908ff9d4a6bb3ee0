import { listRunIds, findRun, runFolder } from '../../journal/run-folder.ts'
import type { Cleaned } from '../../model/cleaned.ts'
import { exitCodes, FailureError } from '../../model/failure.ts'
import type { Json } from '../../model/json.ts'
import type { RunState } from '../../model/run-state.ts'
import { parseSize } from '../../model/size.ts'
import { cleanSummary } from '../../views/clean-summary.ts'
import { reasonToKeep } from '../choose-runs.ts'
import { cleanRun, hasTraces } from '../clean-run.ts'
import type { Cleaning, CleanOptions } from '../cleaning.ts'
import { dropHalfMade } from '../half-made-runs.ts'
import type { Command } from '../command.ts'
import { durationFlag } from '../duration-flag.ts'
import { openProject } from '../project.ts'
import { stateOf } from '../state-of.ts'

export interface CleanFlags {
  readonly olderThan: string
  readonly saveUpTo: string
  readonly dryRun?: boolean
  readonly dropIgnored?: boolean
  readonly mergedBranches?: boolean
}

export async function clean(command: Command, names: readonly string[], flags: CleanFlags): Promise<number> {
  const { surroundings, output } = command
  const olderThanMs = durationFlag(flags.olderThan, 'Write 12h, 7d or 30d, for example: --older-than 7d')
  const options: CleanOptions = {
    ...{ maxBytes: sizeOf(flags.saveUpTo), dropIgnored: flags.dropIgnored === true },
    ...{ dryRun: flags.dryRun === true, mergedBranches: flags.mergedBranches === true },
  }
  const project = await openProject(surroundings.cwd, surroundings.env)
  const isNamed = names.length > 0
  const folders = isNamed
    ? await Promise.all(names.map((name) => findRun(project.runsDir, name)))
    : (await listRunIds(project.runsDir)).map((id) => runFolder(project.runsDir, id))
  const now = surroundings.clock.now().getTime()
  const results: { readonly state: RunState; readonly cleaned: Cleaned }[] = []
  for (const folder of folders) {
    const state = await stateOf(folder)
    const reason = reasonToKeep(state, { isNamed, olderThanMs, now })
    const cleaning = { project, folder, state, options }
    const cleaned: Cleaned = reason === undefined ? await cleanRun(cleaning) : await keepRun(cleaning, reason)
    results.push({ state, cleaned })
  }
  const halfMade = isNamed ? [] : await dropHalfMade(project, { olderThanMs, now, dryRun: options.dryRun })
  output.result(cleanSummary(results, { halfMade, dryRun: options.dryRun }), {
    dry_run: options.dryRun,
    runs: results.map(documentOf),
    half_made: halfMade,
  })
  return results.some(({ cleaned }) => hasFailed(cleaned)) ? exitCodes.failed : 0
}

function hasFailed(cleaned: Cleaned): boolean {
  return 'next' in cleaned || 'left' in cleaned
}

/** Of a run that has nothing left there is nothing to say. */
async function keepRun(cleaning: Cleaning, reason: string): Promise<Cleaned> {
  return (await hasTraces(cleaning)) ? { type: 'kept', reason } : { type: 'nothing' }
}

function documentOf({ state, cleaned }: { state: RunState; cleaned: Cleaned }): Json {
  const about = { run: state.run, status: state.status, result: cleaned.type }
  if (cleaned.type === 'nothing') return about
  if (cleaned.type === 'kept') {
    const { reason, next } = cleaned
    return { ...about, reason, ...(next === undefined ? {} : { next }) }
  }
  const { removed, bytesFreed, snapshot, bytesBeside, back, left } = cleaned
  const kept = snapshot === undefined ? {} : { snapshot }
  const rest = left ? { left: left.path, why: left.why } : {}
  return { ...about, removed, bytes_freed: bytesFreed, ...kept, bytes_beside: bytesBeside, back, ...rest }
}

function sizeOf(text: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined) return bytes
  throw new FailureError({
    code: 'size.form',
    message: `'${text}' is not a size.`,
    next: 'Write 500kB, 100MB or 2GB, for example: --save-up-to 100MB',
  })
}
