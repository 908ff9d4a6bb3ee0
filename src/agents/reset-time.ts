/** When a limit ends, read from the words of a tool. Milliseconds since 1970; undefined where none is said. */
export function resetTimeIn(text: string, now: number): number | undefined {
  for (const read of [epoch, dated, afterDuration, timeOfDay]) {
    const found = read(text, now)
    if (found !== undefined) return found
  }
  return undefined
}

/** `usage limit reached|1794705600` */
function epoch(text: string): number | undefined {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const clockTime = String.raw`(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?m\.?`
const dateAndTime = new RegExp(
  String.raw`\b(${months.join('|')})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:, (\d{4}))?(?:,| at)? ${clockTime}`,
  'i',
)

/** `try again at Nov 20th, 2026 3:14 PM`, `resets Nov 20, 3pm (Europe/Vienna)`, `2026-11-20T15:14:00Z` */
function dated(text: string, now: number): number | undefined {
  const iso = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})/.exec(text)
  if (iso) return valid(Date.parse(iso[0]))
  const found = dateAndTime.exec(text)
  if (!found) return undefined
  const [, month = '', day = '', year, hour = '', minute = '0', half = ''] = found
  const zone = zoneIn(text)
  const wall = {
    year: year === undefined ? wallClock(now, zone).year : Number(year),
    month: months.indexOf(month.slice(0, 3).toLowerCase()),
    ...{ day: Number(day), ...timeOf({ hour, minute, half }) },
  }
  return instant(wall, zone)
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const amount =
  /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])/gi
const waiting =
  /(?:(?:try again|retry|resets?|reset after|available again|wait)(?: in| after|:)?|retry[-_ ]?after["':= ]*|retryDelay["': ]*)\s*"?((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s*)?)+)/i

/** `try again in 3 days 4 hours`, `quota will reset after 3h25m10s`, `Please retry in 34.07s` */
function afterDuration(text: string, now: number): number | undefined {
  const words = waiting.exec(text)?.[1]
  if (words === undefined) return undefined
  let total = 0
  for (const [, count = '', unit = ''] of words.matchAll(amount)) {
    const name = unit.toLowerCase()
    total += Number(count) * (units[name.startsWith('milli') ? 'ms' : name] ?? units[name.charAt(0)] ?? 0)
  }
  return total === 0 ? undefined : now + Math.ceil(total)
}

/** `resets 3pm (America/New_York)`, `try again at 3:14 PM`: the next time that the clock shows it. */
function timeOfDay(text: string, now: number): number | undefined {
  const found = new RegExp(String.raw`(?:resets?|again|until)(?: at| on)? ${clockTime}`, 'i').exec(text)
  if (!found) return undefined
  const [, hour = '', minute = '0', half = ''] = found
  const zone = zoneIn(text)
  const today = { ...wallClock(now, zone), ...timeOf({ hour, minute, half }) }
  const first = instant(today, zone)
  return first !== undefined && first <= now ? instant({ ...today, day: today.day + 1 }, zone) : first
}

function timeOf({ hour, minute, half }: { hour: string; minute: string; half: string }) {
  const isAfternoon = half.toLowerCase() === 'p'
  return { hour: (Number(hour) % 12) + (isAfternoon ? 12 : 0), minute: Number(minute) }
}

function zoneIn(text: string): string | undefined {
  const name = /\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\)/.exec(text)?.[1]
  if (name === undefined) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

interface Wall {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** What a clock on the wall of that zone shows; the machine's own where none is named. */
function wallClock(at: number, zone: string | undefined): Wall {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric' },
  } as const).formatToParts(at)
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0)
  return {
    ...{ year: part('year'), month: part('month') - 1, day: part('day') },
    ...{ hour: part('hour'), minute: part('minute') },
  }
}

/** The zone's offset is looked up at the time itself, twice, so that a change of summer time between does no harm. */
function instant(wall: Wall, zone: string | undefined): number | undefined {
  const asUtc = utc(wall)
  let at = asUtc
  for (let round = 0; round < 2; round++) at = asUtc - (utc(wallClock(at, zone)) - at)
  return valid(at)
}

function utc({ year, month, day, hour, minute }: Wall): number {
  return Date.UTC(year, month, day, hour, minute)
}

function valid(at: number): number | undefined {
  return Number.isNaN(at) ? undefined : at
}
