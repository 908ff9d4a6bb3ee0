// Loaded into Baton beside its own code: what is left in the heap after every full collection that V8 makes by itself.
// None is asked for: that would change the very memory that is measured.
import { writeFileSync } from 'node:fs'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'

const left = []

new PerformanceObserver((list) => {
  const isFull = list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
  if (isFull) left.push({ at: Date.now(), mb: oldBytes() / 1024 / 1024 })
}).observe({ entryTypes: ['gc'] })

/** Without the young: by the time that this is called there are new ones, most of them dead already. */
function oldBytes() {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0)
}

process.on('exit', () => writeFileSync(process.env['BENCH_COLLECTIONS'], JSON.stringify(left)))
