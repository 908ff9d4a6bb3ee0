import type { Cleaned } from '../model/cleaned.ts'
import { shellWord } from '../model/shell-word.ts'
import { formatBytes } from './snapshot-table.ts'

interface CleanedRun {
  readonly state: { readonly run: string; readonly status: string }
  readonly cleaned: Cleaned
}

/** `baton clean`: what went, what it freed, and the command that brings it back; why something stayed. */
export function cleanSummary(
  runs: readonly CleanedRun[],
  { halfMade, dryRun }: { readonly halfMade: readonly string[]; readonly dryRun: boolean },
): string {
  const verb = dryRun ? 'would remove' : 'removed'
  const lines = runs.flatMap((run) => linesOf(run, verb))
  const half = halfMade.map((path) => `${verb} ${path}, left by a run that never began`)
  const all = [...lines, ...half]
  return all.length === 0 ? 'Nothing to clean.' : all.join('\n')
}

function linesOf({ state, cleaned }: CleanedRun, verb: string): string[] {
  const name = `Run ${state.run} (${state.status})`
  switch (cleaned.type) {
    case 'nothing':
      return []
    case 'kept':
      return [
        `${name}: stays, ${cleaned.reason}`,
        ...(cleaned.next === undefined ? [] : [`  next: ${cleaned.next}`]),
      ]
    case 'cleaned': {
      const { removed, bytesFreed, snapshot, bytesBeside, back, left } = cleaned
      const beside = bytesBeside === 0 ? '' : `, with ${formatBytes(bytesBeside)} that git does not keep`
      return [
        `${name}: ${verb} ${removed.join(', ')}; ${formatBytes(bytesFreed)} freed`,
        ...(snapshot === undefined ? [] : [`  kept as snapshot ${snapshot}${beside}`]),
        ...back.map((command) => `  back: ${command}`),
        ...(left ? [`  left: ${left.path} (${left.why})`, `  next: rm -r ${shellWord(left.path)}`] : []),
      ]
    }
  }
}
