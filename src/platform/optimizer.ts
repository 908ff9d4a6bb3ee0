import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 compile nothing to faster code until what it returns is called. That pays off for what runs long: a
 * replay is over in a tenth of a second, in which the other threads would compile for twice that and take the
 * cores, and then it has run on what was compiled at first anyway.
 *
 * V8 asks for this whenever a function has become hot, so that it may change at any time. Whoever starts Node
 * with options of their own may have chosen otherwise: then nothing is changed.
 */
export function pauseOptimizer(): () => void {
  const { execArgv, env } = process
  if (execArgv.length > 0 || (env['NODE_OPTIONS'] ?? '') !== '') return () => undefined
  setFlagsFromString('--no-opt')
  let isPaused = true
  return () => {
    if (isPaused) setFlagsFromString('--opt')
    isPaused = false
  }
}
