/**
 * Counts what the processes below one of ours use. Limits that the kernel itself can hold are set inside the room;
 * these two it cannot: memory is limited only per process, and the number of processes not at all for root.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { signalGroup } from './process-group.ts'

export interface Ceiling {
  readonly memoryBytes: number
  readonly processes: number
}

export type Excess = 'memory' | 'processes'

const pollMs = 150

/** Looks now and then, until the function that is given back is called. A bomb grows while one waits: it is not asked to end. */
export function guardCeiling(
  leader: number,
  ceiling: Ceiling | undefined,
  onExcess: (what: Excess) => void,
): () => void {
  if (ceiling === undefined) return () => {}
  const timer = setInterval(() => {
    const what = excessOf(leader, ceiling)
    if (what === undefined) return
    signalGroup(leader, 'SIGKILL')
    onExcess(what)
  }, pollMs)
  return () => clearInterval(timer)
}

/** What is over the ceiling, below this process and itself; undefined where nothing is, or nobody can tell. */
function excessOf(pid: number, { memoryBytes, processes }: Ceiling): Excess | undefined {
  if (process.platform !== 'linux') return undefined
  const open = [pid]
  let count = 0
  let memory = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1
    if (count > processes) return 'processes'
    memory += ownMemory(next)
    if (memory > memoryBytes) return 'memory'
    open.push(...childrenOf(next))
  }
  return undefined
}

function childrenOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`
  return threadsIn(folder).flatMap((thread) =>
    textOf(`${folder}/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** What is nobody else's: pages of files can be had again. */
function ownMemory(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`)) ?? []
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024
}

/** Gone meanwhile is empty. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
