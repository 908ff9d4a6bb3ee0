import { engineEvent } from '../model/event.ts'
import { plainResult } from './frame.ts'
import type { Frame, ListEnd, ListRun } from './frame.ts'
import { runList } from './run-list.ts'
import { EscalatedError } from './supervise.ts'

/** The top list; a level that leads elsewhere begins it again at a step, as often as its limit allows. */
export async function runTop(frame: Frame, run: ListRun): Promise<ListEnd> {
  let inner = frame
  let from: Pick<ListRun, 'from'> = {}
  for (;;) {
    try {
      return await runList(inner, { ...run, ...from })
    } catch (error) {
      if (!(error instanceof EscalatedError)) throw error
      const { level, route, message } = error
      const { routed } = frame.watch
      const count = routed.filter((one) => one === level).length + 1
      const isOver = count > route.limit
      const data = { level, to: isOver ? route.then : route.to, count, limit: route.limit }
      await frame.context.record(`run/level/${routed.length + 1}`, engineEvent('level.routed', data))
      if (isOver) return { step: '', result: plainResult('failed', { label: level, reason: message }) }
      routed.push(level)
      // What was an issue there is none of what begins anew.
      frame.watch.issues = 0
      from = { from: route.to }
      inner = { ...frame, feedback: [{ from: level, text: message, paths: [] }] }
    }
  }
}
