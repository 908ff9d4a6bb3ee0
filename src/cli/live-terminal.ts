import type { JournalLine } from '../model/event.ts'
import type { Keyboard } from '../platform/keyboard.ts'
import type { LiveLimits } from '../views/live-spending.ts'
import { foldLive, liveLines, nothingLive } from '../views/live-view.ts'
import type { LiveState } from '../views/live-view.ts'

export interface LiveOptions {
  readonly write: (text: string) => void
  readonly columns: () => number
  readonly now: () => number
  readonly color: boolean
  /** What is typed while lines move must not be seen between them. */
  readonly keyboard?: Keyboard
}

export interface LiveTerminal {
  /** Above the moving lines. */
  print(text: string): void
  event(line: JournalLine): void
  /** What was recorded before: it is on the way, and draws nothing. */
  past(line: JournalLine): void
  limits(limits: LiveLimits): void
  activity(text: string): void
  /** Takes the moving lines away: something else wants the terminal. */
  stop(): void
}

/** Four times a second: smooth enough to the eye, and nothing to the processor. */
const everyMs = 250

const up = '\u001B[1A'
const clearLine = '\r\u001B[2K'

/** Keeps a few moving lines at the bottom while a run works; everything else scrolls by above them. */
export function createLiveTerminal({ write, columns, now, color, keyboard }: LiveOptions): LiveTerminal {
  let state: LiveState = nothingLive
  let drawn = 0
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  const erase = (): string => {
    const text = drawn === 0 ? '' : `${clearLine}${`${up}${clearLine}`.repeat(drawn - 1)}`
    drawn = 0
    return text
  }
  const draw = (): string => {
    const lines = liveLines(state, { columns: columns(), now: now(), frame, color })
    drawn = lines.length
    return lines.join('\n')
  }
  const refresh = (before = ''): void => {
    const text = `${erase()}${before}${draw()}`
    if (text !== '') write(text)
  }
  const rest = (): void => {
    clearInterval(timer)
    timer = undefined
    keyboard?.release()
  }
  const move = (): void => {
    if (timer) return
    keyboard?.hold()
    timer = setInterval(() => {
      frame += 1
      refresh()
    }, everyMs).unref()
  }
  return {
    print: (text) => refresh(`${text}\n`),
    event(line) {
      state = foldLive(state, line)
      if (state.over) rest()
      else move()
      refresh()
    },
    past(line) {
      state = { ...foldLive(state, line), over: true }
    },
    limits(limits) {
      state = { ...state, limits }
    },
    activity(text) {
      state = { ...state, action: text }
    },
    stop() {
      rest()
      state = { ...state, over: true }
      refresh()
    },
  }
}
