import { setFlagsFromString } from 'node:v8'

/** V8's own default, in bytes, the same in Node 20, 22 and 24. */
const usualSize = 61_440

/**
 * Has V8 compile nothing to faster code until what it returns is called. That pays off for what runs long: a
 * replay is over in a tenth of a second, in which the other threads would compile for twice that and take the
 * cores, and then it has run on what was compiled at first anyway.
 *
 * By the size that a function may have for it, which V8 looks up whenever one has become hot: it may change at any
 * time, and unlike `--no-opt` it takes no other flags along in any of these versions. Whoever starts Node with
 * options of their own may have chosen otherwise: then nothing is changed.
 */
export function pauseOptimizer(): () => void {
  const { execArgv, env } = process
  if (execArgv.length > 0 || (env['NODE_OPTIONS'] ?? '') !== '') return () => undefined
  optimizeUpTo(0)
  let isPaused = true
  return () => {
    if (isPaused) optimizeUpTo(usualSize)
    isPaused = false
  }
}

function optimizeUpTo(bytes: number): void {
  setFlagsFromString(`--max-optimized-bytecode-size=${bytes}`)
}
