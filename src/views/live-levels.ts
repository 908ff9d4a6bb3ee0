import { isJsonObject, textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'

/** A list of steps that the run is inside of: the workflow's own, an item of a plan, a fragment that was called. */
interface Level {
  /** As keys of the journal begin; empty for the workflow's own. */
  readonly place: string
  /** What it is; empty for the workflow's own. */
  readonly about: string
  /** Steps in the order of their first visit, each with how often it was come to. */
  readonly trail: readonly TrailStep[]
  /** The step that was come to last. */
  readonly current: string
  /** Of a list that one of its steps goes through: the names of the items. */
  readonly items: readonly string[]
}

interface TrailStep {
  readonly step: string
  readonly visits: number
  readonly outcome: string
}

/** The outermost first, each inside the one before it. */
export type Levels = readonly Level[]

export function stepStarted(levels: Levels, data: JsonObject): Levels {
  const step = textOf(data['step'])
  const place = placeOf(data)
  return changeLast(enter(levels, place, nameOf(place)), ({ trail, ...level }) => ({
    ...level,
    current: step,
    trail: changeStep(trail, step, ({ visits }) => ({ step, visits: visits + 1, outcome: '' })),
  }))
}

export function stepFinished(levels: Levels, data: JsonObject): Levels {
  const place = placeOf(data)
  return changeLast(enter(levels, place, nameOf(place)), ({ trail, ...level }) => ({
    ...level,
    trail: changeStep(trail, textOf(data['step']), (step) => ({ ...step, outcome: textOf(data['outcome']) })),
  }))
}

export function listStarted(levels: Levels, { items }: JsonObject): Levels {
  const names = Array.isArray(items)
    ? items.map((item) => (isJsonObject(item) ? textOf(item['id']) : ''))
    : []
  return changeLast(levels, (level) => ({ ...level, items: names }))
}

/** `execute#1/S1/started` and `execute#1/S1/attempt/2`. */
export function itemStarted(levels: Levels, data: JsonObject): Levels {
  const place = textOf(data['key']).replace(/\/(?:started|attempt\/\d+)$/, '')
  const inside = enter(levels, place, '')
  const names = inside.at(-2)?.items ?? []
  const item = textOf(data['item'])
  const attempt = Number(data['attempt'] ?? 1)
  const about = [
    `${item}, ${names.indexOf(item) + 1} of ${names.length}`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ]
  return changeLast(inside, (level) => ({ ...level, about: about.join(', ') }))
}

/** `execute#1/S1/code#2/started` is a step of `execute#1/S1`. */
function placeOf(data: JsonObject): string {
  return textOf(data['key']).split('/').slice(0, -2).join('/')
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1)
}

/** Whatever does not lead to the place has been left. */
function enter(levels: Levels, place: string, about: string): Levels {
  const around = levels.filter((level) => level.place === '' || `${place}/`.startsWith(`${level.place}/`))
  if (around.at(-1)?.place === place) return around
  return [...around, { place, about, trail: [], current: '', items: [] }]
}

function changeLast(levels: Levels, change: (level: Level) => Level): Levels {
  const last = levels.at(-1)
  return last ? [...levels.slice(0, -1), change(last)] : levels
}

function changeStep(
  trail: Level['trail'],
  step: string,
  change: (found: TrailStep) => TrailStep,
): Level['trail'] {
  const at = trail.findIndex((one) => one.step === step)
  const found = trail[at]
  return found ? trail.with(at, change(found)) : [...trail, change({ step, visits: 0, outcome: '' })]
}

/** So many lines at most, so that what scrolls by above them has room. */
const mostLines = 4

/** One line a level; of many, the outermost and those around the step. Never wider than that. */
export function levelLines(levels: Levels, width: number): string[] {
  const shown = levels.length <= mostLines ? levels : [...levels.slice(0, 1), ...levels.slice(1 - mostLines)]
  return shown.map((level, index) => {
    const about = level.about === '' ? '' : `${'  '.repeat(index)}${level.about}: `
    const before = about.length > width / 2 ? '' : about
    return `${before}${cutBefore(trailText(level), width - before.length)}`
  })
}

export function roundOf(levels: Levels): number {
  const level = levels.at(-1)
  return level?.trail.find(({ step }) => step === level.current)?.visits ?? 1
}

function trailText({ trail, current }: Level): string {
  const steps = trail.map(({ step, visits, outcome }) => {
    const name = visits > 1 ? `${step} x${visits}` : step
    if (step === current && outcome === '') return `[${name}]`
    return outcome === 'ok' || outcome === '' ? name : `${name} (${outcome})`
  })
  return steps.join(' > ')
}

/** Where the run is just now stands at the end. */
function cutBefore(text: string, width: number): string {
  return text.length <= width ? text : `...${text.slice(text.length - Math.max(0, width - 3))}`
}
