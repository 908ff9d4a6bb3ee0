/** The strict JSON grammar as a pushdown automaton over bytes: one table lookup a byte, a stack of containers. */

/** Deeper nesting kills the machine: it bounds memory, and nothing downstream recurses further than this. */
export const DEPTH_LIMIT = 256

export const DEAD = 0
/** The state right after `{`, and after no other byte but white space. */
export const OPENED = 1

const KEY = 2
const COLON = 3
const VALUE = 4
const VALUE_OR_END = 5
const AFTER = 6
const KEY_STRING = 7
const VALUE_STRING = 13
const NUMBER = { minus: 19, zero: 20, digits: 21, dot: 22, fraction: 23, e: 24, sign: 25, power: 26 } as const
const LITERALS = { true: 27, false: 30, null: 34 } as const
const STATES = 37

const FIRST_ACTION = 64
const OPEN_OBJECT = 64
const OPEN_ARRAY = 65
const CLOSE_OBJECT = 66
const CLOSE_ARRAY = 67
const COMMA = 68

const SPACES = ' \t\r\n'
const OBJECT = 1
const ARRAY = 2
const TABLE = buildTable()

/** Reads one object or value. All open objects on the stack share its fate: an error at the top breaks them all. */
export class JsonMachine {
  state = DEAD
  /** Where the outermost container starts, or started. */
  start = 0
  /** Where the object that `step` reported as closed starts. */
  closedStart = 0
  private depth = 0
  private readonly kinds = new Uint8Array(DEPTH_LIMIT)
  private readonly starts: number[] = Array.from({ length: DEPTH_LIMIT }, () => 0)

  beginObject(offset: number): void {
    this.depth = 0
    this.start = offset
    this.open(OBJECT, offset)
  }

  beginValue(): void {
    this.depth = 0
    this.state = VALUE
  }

  /** True when this byte closed an object; the machine is dead after an error and after the outermost object. */
  step(byte: number, offset: number): boolean {
    const next = TABLE[(this.state << 8) | byte] ?? DEAD
    if (next < FIRST_ACTION) {
      this.state = next
      return false
    }
    return this.act(next, offset)
  }

  /** True when the bytes so far are one whole value, begun with `beginValue`. */
  isComplete(): boolean {
    return this.depth === 0 && TABLE[(this.state << 8) | 0x20] === AFTER
  }

  private act(action: number, offset: number): boolean {
    switch (action) {
      case OPEN_OBJECT:
        return this.open(OBJECT, offset)
      case OPEN_ARRAY:
        return this.open(ARRAY, offset)
      case CLOSE_OBJECT:
        return this.close(OBJECT)
      case CLOSE_ARRAY:
        return this.close(ARRAY)
      default:
        return this.separate()
    }
  }

  private open(kind: number, offset: number): boolean {
    if (this.depth === DEPTH_LIMIT) {
      this.state = DEAD
      return false
    }
    this.kinds[this.depth] = kind
    this.starts[this.depth] = offset
    this.depth += 1
    this.state = kind === OBJECT ? OPENED : VALUE_OR_END
    return false
  }

  private close(kind: number): boolean {
    if (this.topKind() !== kind) {
      this.state = DEAD
      return false
    }
    this.depth -= 1
    this.state = AFTER
    this.closedStart = this.starts[this.depth] ?? 0
    return kind === OBJECT
  }

  private separate(): boolean {
    const kind = this.topKind()
    if (kind === OBJECT) this.state = KEY
    else this.state = kind === ARRAY ? VALUE : DEAD
    return false
  }

  private topKind(): number | undefined {
    return this.depth === 0 ? undefined : this.kinds[this.depth - 1]
  }
}

/** The byte offset of the first byte that cannot be JSON; the length when it only ends too early; undefined if whole. */
export function findJsonError(bytes: Uint8Array): number | undefined {
  const machine = new JsonMachine()
  machine.beginValue()
  for (const [offset, byte] of bytes.entries()) {
    machine.step(byte, offset)
    if (machine.state === DEAD) return offset
  }
  return machine.isComplete() ? undefined : bytes.length
}

function buildTable(): Uint8Array {
  const table = new Uint8Array(STATES << 8)
  const on = (state: number, bytes: string, next: number): void => {
    for (const byte of Buffer.from(bytes)) table[(state << 8) | byte] = next
  }
  addStructure(on)
  addNumbers(on)
  for (const [word, first] of Object.entries(LITERALS)) {
    for (const state of [VALUE, VALUE_OR_END]) on(state, word.slice(0, 1), first)
    for (let at = 1; at < word.length; at += 1) {
      on(first + at - 1, word.charAt(at), at === word.length - 1 ? AFTER : first + at)
    }
  }
  for (const [first, next] of [
    [KEY_STRING, COLON],
    [VALUE_STRING, AFTER],
  ] as const) {
    table.fill(first, (first << 8) + 0x20, (first + 1) << 8)
    addString(on, first, next)
  }
  return table
}

type On = (state: number, bytes: string, next: number) => void

function addStructure(on: On): void {
  for (const state of [OPENED, KEY, COLON, VALUE, VALUE_OR_END, AFTER]) on(state, SPACES, state)
  for (const state of [OPENED, KEY]) on(state, '"', KEY_STRING)
  on(OPENED, '}', CLOSE_OBJECT)
  on(COLON, ':', VALUE)
  on(VALUE_OR_END, ']', CLOSE_ARRAY)
  for (const state of [VALUE, VALUE_OR_END]) {
    on(state, '{', OPEN_OBJECT)
    on(state, '[', OPEN_ARRAY)
    on(state, '"', VALUE_STRING)
    on(state, '-', NUMBER.minus)
    on(state, '0', NUMBER.zero)
    on(state, '123456789', NUMBER.digits)
  }
  addEndOfValue(on, AFTER)
}

function addEndOfValue(on: On, state: number): void {
  on(state, SPACES, AFTER)
  on(state, ',', COMMA)
  on(state, '}', CLOSE_OBJECT)
  on(state, ']', CLOSE_ARRAY)
}

function addNumbers(on: On): void {
  const { minus, zero, digits, dot, fraction, e, sign, power } = NUMBER
  on(minus, '0', zero)
  on(minus, '123456789', digits)
  on(digits, '0123456789', digits)
  for (const state of [zero, digits]) on(state, '.', dot)
  for (const state of [dot, fraction]) on(state, '0123456789', fraction)
  for (const state of [zero, digits, fraction]) on(state, 'eE', e)
  on(e, '+-', sign)
  for (const state of [e, sign, power]) on(state, '0123456789', power)
  for (const state of [zero, digits, fraction, power]) addEndOfValue(on, state)
}

/** A string takes six states from `first`: its characters, after a backslash, and four hexadecimal digits. */
function addString(on: On, first: number, next: number): void {
  const [escape, hex] = [first + 1, first + 2]
  on(first, '"', next)
  on(first, '\\', escape)
  on(escape, '"\\/bfnrt', first)
  on(escape, 'u', hex)
  for (let at = 0; at < 4; at += 1) on(hex + at, '0123456789abcdefABCDEF', at === 3 ? first : hex + at + 1)
}
