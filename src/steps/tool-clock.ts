import type { Role } from '../model/workflow.ts'
import type { Watch } from './watch-agent.ts'

/** Two clocks: silence of an agent that thinks is a hang long before silence of one whose tests are running is. */
export interface ToolClock {
  readonly watch: Watch
  /** How long nothing may be printed from now on. */
  limitMs(): number
  isInTool(): boolean
}

export function openToolClock({ idleMs, toolMs }: Role['timeout']): ToolClock {
  const atWork = new Set<string>()
  const isInTool = (): boolean => atWork.size > 0
  return {
    watch(event) {
      if (event.type === 'tool_call') atWork.add(event.id)
      if (event.type === 'tool_result') atWork.delete(event.id)
      return undefined
    },
    limitMs: () => (isInTool() ? toolMs : idleMs),
    isInTool,
  }
}
