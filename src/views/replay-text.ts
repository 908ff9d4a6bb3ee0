import type { Json, JsonObject } from '../model/json.ts'
import type { Replayed } from '../model/replayed.ts'

/** For people: the same, or what was first another than it was recorded. */
export function replayText({ run, calls, steps, end }: Replayed): string {
  const gone = `${counted(steps, 'step')}, ${counted(calls, 'call')} of agents`
  switch (end.type) {
    case 'finished':
      return `Run ${run} came out as it was recorded: ${ending(end)} (${gone}).`
    case 'open':
      return `Run ${run} is as it was recorded, up to its last fact (${gone}); nothing is recorded from '${end.at}' on.`
    case 'different': {
      const { path, recorded, replayed } = end.difference
      return [
        `Run ${run} is not as it was recorded: '${end.at}' is another (${gone}).`,
        ...(path === '' ? [] : [`  where     ${path}`]),
        `  recorded  ${shown(recorded)}`,
        `  now       ${shown(replayed)}`,
      ].join('\n')
    }
  }
}

export function replayDocument({ run, calls, steps, end }: Replayed): JsonObject {
  const about = { run, same: end.type !== 'different', calls, steps }
  if (end.type === 'finished') return { ...about, outcome: end.outcome, reason: end.reason }
  if (end.type === 'open') return { ...about, open_at: end.at }
  const { path, recorded = null, replayed = null } = end.difference
  return { ...about, difference: { at: end.at, path, recorded, replayed } }
}

function ending({ outcome, reason }: { readonly outcome: string; readonly reason: string }): string {
  return reason === '' ? outcome : `${outcome}, ${reason}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const longest = 300

function shown(value: Json | undefined): string {
  if (value === undefined) return '(nothing)'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
