import { setTimeout as sleep } from 'node:timers/promises'
import { longestTimerMs } from './clock.ts'
import { sizeOf } from './file-tail.ts'
import type { FileTail } from './file-tail.ts'

const pollMs = 100

/** What a process is watched for; see `ProcessRequest`. */
interface Watched {
  readonly wallMs?: number
  readonly idleMs?: number | (() => number)
  readonly signal?: AbortSignal
}

type Limit = { readonly type: 'timeout' } | { readonly type: 'aborted' }

interface OutputWatch {
  readonly files: { readonly stdout: number; readonly stderr: number }
  readonly tail: FileTail | undefined
  readonly over: AbortSignal
  readonly onIdle: () => void
}

/** Until it is over: hands on what is printed, and tells when nothing was for too long. */
export async function watchOutput({ idleMs }: Watched, watch: OutputWatch): Promise<void> {
  if (idleMs === undefined && watch.tail === undefined) return
  let size = 0
  let quietSince = performance.now()
  while (await pause(watch.over)) {
    const now = sizeOf(watch.files.stdout) + sizeOf(watch.files.stderr)
    if (now !== size) quietSince = performance.now()
    else if (performance.now() - quietSince >= limitOf(idleMs)) watch.onIdle()
    size = now
    await watch.tail?.drain()
  }
}

function limitOf(idleMs: Watched['idleMs']): number {
  if (idleMs === undefined) return Infinity
  return typeof idleMs === 'number' ? idleMs : idleMs()
}

/** False if there is nothing to go on for. */
async function pause(over: AbortSignal): Promise<boolean> {
  try {
    await sleep(pollMs, undefined, { signal: over })
    return true
  } catch {
    return false
  }
}

/** Gives what ends the watching. */
export function watchLimits({ wallMs, signal }: Watched, stop: (end: Limit) => void): () => void {
  const onAbort = (): void => stop({ type: 'aborted' })
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer =
    wallMs === undefined
      ? undefined
      : setTimeout(() => stop({ type: 'timeout' }), Math.min(wallMs, longestTimerMs))
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
