import { isUselessLimit, parseDuration, timeLimitHint } from '../model/duration.ts'
import { FailureError } from '../model/failure.ts'

/** A flag's duration in milliseconds; `next` shows how that flag is written. */
export function durationFlag(text: string, next: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw new FailureError({ code: 'time.form', message: `'${text}' is not a duration.`, next })
}

/** For what must not be nothing: a limit of the work, or how often to look. */
export function limitingFlag(text: string, next: string): number {
  const ms = durationFlag(text, next)
  if (!isUselessLimit(text)) return ms
  throw new FailureError({ code: 'time.form', message: `'${text}' is not ${timeLimitHint}.`, next })
}
