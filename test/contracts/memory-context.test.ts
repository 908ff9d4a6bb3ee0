import { memoryRun } from '../support/memory-journal.ts'
import { describeDurableContext } from './durable-context.ts'
import { systemClock } from '../../src/platform/clock.ts'

// The journal of the engine's own tests: it must not promise less than the one on disk.
describeDurableContext('the journal in memory', {
  async newRun() {
    const run = memoryRun()
    return {
      open: async (options) => run.open({ clock: systemClock, ...options }),
      facts: async () => run.lines.filter(({ type }) => type !== 'checkpoint'),
      tell: async (message) => {
        run.inbox.push({ id: `m${run.inbox.length}`, ...message })
      },
    }
  },
})
