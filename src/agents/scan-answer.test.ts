import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../model/json.ts'
import { scanAnswer } from './scan-answer.ts'

const MEBIBYTE = 1 << 20

const textsOf = (candidates: readonly { readonly text: string }[]) => candidates.map(({ text }) => text)

async function findObjects(text: string): Promise<readonly string[]> {
  return textsOf((await scanAnswer([Buffer.from(text)])).objects)
}

async function findFenced(text: string): Promise<readonly string[]> {
  return textsOf((await scanAnswer([Buffer.from(text)])).fenced)
}

describe('objects in prose (R000-33, R001-67, C-05)', () => {
  it.each([
    ['nested objects are one object', 'so {"a":{"b":{"c":[{}]}}} is it', ['{"a":{"b":{"c":[{}]}}}']],
    ['braces in strings are text', '{"a":"}{","b":"{"}', ['{"a":"}{","b":"{"}']],
    ['prose with braces may follow', '{"a":1}\nI set {x} and } and {', ['{"a":1}']],
    ['prose with braces may precede', 'use {x}, {{y}} or ${z}: {"a":1}', ['{"a":1}']],
    ['a brace right before it does no harm', '{{"a":1}', ['{"a":1}']],
    [
      'an escaped quote does not end a string',
      String.raw`{"a":"\"}","b":"\\"}`,
      [String.raw`{"a":"\"}","b":"\\"}`],
    ],
    ['lines may end with CR LF', 'x\r\n{\r\n\t"a": 1\r\n}\r\n', ['{\r\n\t"a": 1\r\n}']],
    ['several objects keep their order', '{"a":1} and {"b":2}{"c":3}', ['{"a":1}', '{"b":2}', '{"c":3}']],
    ['an object inside quotes of the prose is found', 'he said "{"a":1}" twice', ['{"a":1}']],
    ['an odd quote before it does no harm', 'it is 5" wide: {"a":"b"}', ['{"a":"b"}']],
    ['an apostrophe before it does no harm', 'it\'s {"a":"it\'s"}', ['{"a":"it\'s"}']],
    [
      'JSON inside a string of an object is part of it',
      String.raw`{"a":"{\"b\":1}"}`,
      [String.raw`{"a":"{\"b\":1}"}`],
    ],
    ['a broken outer object leaves its inner ones', '{"a":{"b":1},"c":{"d":2},oops}', ['{"b":1}', '{"d":2}']],
    [
      'an unclosed outer object leaves its inner ones',
      '{"a":[{"b":1},{"c":{"d":2}}',
      ['{"b":1}', '{"c":{"d":2}}'],
    ],
    ['an object in the string of a broken one is found', '{"a":"{} {"b":1}', ['{}', '{"b":1}']],
    ['an object after an unclosed string is found', '{"a":"never closed {"b":1} and on', ['{"b":1}']],
    ['characters beyond ASCII are kept', 'é {"ключ":"👍\u2028"} ß', ['{"ключ":"👍\u2028"}']],
    ['single quotes are not JSON', "{'a':1}", []],
    ['a trailing comma is not JSON', '{"a":1,}', []],
    ['a raw line break in a string is not JSON', '{"a":"\n"}', []],
    ['numbers are strict', '{"a":01}{"a":1.}{"a":+1}{"a":-}{"a":1e}{"a":-0.5e+9}', ['{"a":-0.5e+9}']],
    ['literals are strict', '{"a":tru}{"a":nulll}{"a":[true,false,null]}', ['{"a":[true,false,null]}']],
    ['escapes are strict', String.raw`{"a":"\x"}{"a":"\u12g4"}{"a":"\u12F4"}`, [String.raw`{"a":"\u12F4"}`]],
    ['brackets must match', '{"a":[1}{"a":1]{"a":[1]}', ['{"a":[1]}']],
  ])('%s', async (_, text, expected) => {
    expect(await findObjects(text)).toEqual(expected)
  })

  it('offsets count bytes, and the end is exclusive', async () => {
    const { objects, totalBytes } = await scanAnswer([Buffer.from('é{"a":1}é')])
    expect({ objects, totalBytes }).toEqual({
      objects: [{ text: '{"a":1}', start: 2, end: 9 }],
      totalBytes: 11,
    })
  })

  it('the objects found are exactly the valid ones that lie in no other, for any text', async () => {
    const pieces = ['{', '}', '"', '{"', '":', ':', ',', '[', ']', '1', 'x', ' ', '\\', '"a":', '{}', '\n']
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const { objects } = await scanAnswer([Buffer.from(value)])
        expect(objects.map(({ start, end }) => [start, end])).toEqual(findByTrying(value))
      }),
      { numRuns: 3000 },
    )
  })

  it('any object is found in any prose without braces', async () => {
    const prose = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll(/[{}]/g, ''))
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(prose, object, prose, async (before, value, after) => {
        const json = JSON.stringify(value, undefined, before.length % 3)
        expect(await findObjects(before + json + after)).toEqual([json])
      }),
    )
  })

  it('the last sixteen are kept', async () => {
    const all = Array.from({ length: 40 }, (_, index) => `{"n":${index}}`)
    expect(await findObjects(all.join(' '))).toEqual(all.slice(-16))
  })

  it('many objects inside a larger one do not push out an earlier one', async () => {
    const list = `{"list":[${Array.from({ length: 40 }, () => '{}').join(',')}]}`
    expect(await findObjects(`{"a":1} ${list}`)).toEqual(['{"a":1}', list])
  })

  it('an object of one mebibyte is kept and a larger one is dropped with its parts', async () => {
    const sized = (size: number) => `{"a":{},"b":"${'x'.repeat(size - 15)}"}`
    const text = `${sized(MEBIBYTE + 1)}${sized(MEBIBYTE)}`
    const { objects } = await scanAnswer([Buffer.from(text)])
    expect(objects.map(({ start, end }) => [start, end])).toEqual([[MEBIBYTE + 1, 2 * MEBIBYTE + 1]])
  })

  it('an object far behind the read position keeps its text', async () => {
    const filler = Buffer.alloc(5 * MEBIBYTE, 'plain words ')
    const { objects } = await scanAnswer([Buffer.from('{"a":"é"}'), filler, Buffer.from('{"b":1}'), filler])
    expect(textsOf(objects)).toEqual(['{"a":"é"}', '{"b":1}'])
  })

  it('an object nested 256 deep is found and a deeper one is not', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
    expect(await findObjects(nested(256))).toEqual([nested(256)])
    expect(await findObjects(nested(300))).toEqual([nested(44)])
  })
})

describe('fenced json blocks (C-05)', () => {
  it.each([
    ['the content is what lies between the fence lines', 'x\n```json\n{"a":\n1}\n```\ny', ['{"a":\n1}\n']],
    ['tildes are a fence', '~~~json\n{}\n~~~', ['{}\n']],
    ['the language is in any case, after any spaces', '``` \t JSON  \n{}\n```', ['{}\n']],
    ['a fence may be indented by three spaces', '   ```json\n{}\n   ```', ['{}\n']],
    ['a fence indented by four spaces is none', '    ```json\n{}\n    ```', []],
    ['words after the language are ignored', '```json title=answer\n{}\n```', ['{}\n']],
    ['other languages are ignored', '```jsonc\n{}\n```\n```js\n{}\n```\n```\n{}\n```', []],
    ['a fence inside a line is none', 'see ```json\n{}\n```', []],
    ['a line with code in backticks is no fence', '```json {}```\n{}\n```', []],
    ['a longer fence is closed by one as long', '````json\n```\n{}\n````', ['```\n{}\n']],
    ['a longer closing fence closes too', '```json\n{}\n``````  \n', ['{}\n']],
    ['the other character does not close', '```json\n~~~\n```', ['~~~\n']],
    ['lines may end with CR LF', '```json\r\n{}\r\n```\r\n', ['{}\r\n']],
    ['the end of the text closes a block', '```json\n{"a":1}', ['{"a":1}']],
    ['a block may be empty', '```json\n```', ['']],
    ['a fence as the last line opens an empty block', 'x\n```json', ['']],
    ['a second opening closes the first block', '```json\n{}\n```json\n[]\n```', ['{}\n', '[]\n']],
    ['several blocks keep their order', '```json\n1\n```\n\n~~~json\n2\n~~~', ['1\n', '2\n']],
  ])('%s', async (_, text, expected) => {
    expect(await findFenced(text)).toEqual(expected)
  })

  it('a block above one mebibyte is dropped', async () => {
    const sized = (size: number) => `\`\`\`json\n${'x'.repeat(size - 1)}\n\`\`\`\n`
    const { fenced } = await scanAnswer([Buffer.from(sized(MEBIBYTE + 1) + sized(MEBIBYTE))])
    expect(fenced.map(({ text }) => text.length)).toEqual([MEBIBYTE])
  })
})

describe('chunks', () => {
  const text =
    'é it\'s {x} "{" {"a":"{\\"b\\":1}\\u00e9👍"}\r\n```json\r\n{"c":[1.5e3,{}]}\r\n```\r\n{"d":{"e":1},} tail ~~~ JSON\n[true]'

  it('a chunk boundary at any byte changes nothing', async () => {
    const bytes = Buffer.from(text)
    const whole = await scanAnswer([bytes])
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await scanAnswer([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    }
    expect(await scanAnswer(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole)
  })

  it('any text split anywhere gives the same result', async () => {
    const parts = fc.array(
      fc.constantFrom('{', '}', '"', '```json\n', '```\n', '{"a":', '1', ',', 'é', '\n', '{}', ' '),
    )
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.nat({ max: 40 })), async (pieces, sizes) => {
        const bytes = Buffer.from(pieces.join(''))
        expect(await scanAnswer(split(bytes, sizes))).toEqual(await scanAnswer([bytes]))
      }),
    )
  })

  it('chunk sizes change nothing in a text larger than the window', async () => {
    const bytes = Buffer.from('{"list":[{"n":1},{"m":"{}"}, '.repeat(120_000) + text)
    const pieces = split(
      bytes,
      Array.from({ length: 300 }, (_, index) => (index * 7919) % 50_000),
    )
    expect(await scanAnswer(pieces)).toEqual(await scanAnswer([bytes]))
  })

  it('an object and a block that lie across the end of the first small window are found whole', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(20_000), b: { c: 'y'.repeat(20_000) } })
    const { fenced, objects } = await scanAnswer(
      split(
        Buffer.from(`first ${long}\n\`\`\`json\n${long}\n\`\`\`\n`),
        Array.from({ length: 80 }, () => 1000),
      ),
    )
    expect([...textsOf(objects), ...textsOf(fenced)]).toEqual([long, long, `${long}\n`])
  })

  it('the owner may reuse the memory of a chunk', async () => {
    const shared = Buffer.alloc(1)
    function* reuse() {
      for (const byte of Buffer.from('x {"a":1}')) {
        shared[0] = byte
        yield shared
      }
    }
    expect(textsOf((await scanAnswer(reuse())).objects)).toEqual(['{"a":1}'])
  })

  it('a text of white space only is blank', async () => {
    const isBlank = async (value: string) => (await scanAnswer([Buffer.from(value)])).isBlank
    expect([await isBlank(''), await isBlank(' \r\n\t'), await isBlank(' x')]).toEqual([true, true, false])
  })

  it('the tail is the last 64 KiB of what follows the last block', async () => {
    const tailOf = async (value: string) => (await scanAnswer([Buffer.from(value)])).tail
    expect(await tailOf('x'.repeat(70_000))).toEqual({ bytes: Buffer.alloc(65_536, 'x'), start: 4464 })
    expect(await tailOf('a\n```json\n{}\n```\nb')).toEqual({ bytes: Buffer.from('```\nb'), start: 13 })
  })
})

describe('hostile text is read in linear work', () => {
  it.each([
    ['objects that are never closed', '{"a":'],
    ['opening braces', '{'],
    ['closing braces', '}'],
    ['quotes that flip the parity of strings', '{"'],
    ['objects in strings', '{"a":"{", "'],
    ['one long line', 'x'],
    ['empty objects', '{}'],
    ['objects in an unclosed list', '{"a":[{},{},'],
    ['empty lines', '\n'],
    ['fences that are never closed', '```json\n'],
    ['fence characters', '`'],
    ['escapes', '{"\\'],
  ])('%s', async (_, unit) => {
    const work = { steps: 0 }
    await scanAnswer([Buffer.alloc(MEBIBYTE, unit)], work)
    expect(work.steps).toBeLessThanOrEqual(4 * MEBIBYTE)
  })

  it('two readings that stay alive side by side to the end', async () => {
    const work = { steps: 0 }
    await scanAnswer([Buffer.from('{"k":"{'), Buffer.alloc(MEBIBYTE, '",":":",')], work)
    expect(work.steps).toBeLessThanOrEqual(4 * MEBIBYTE)
    expect(work.steps).toBeGreaterThan(3 * MEBIBYTE)
  })

  it('one string that is never closed', async () => {
    const work = { steps: 0 }
    await scanAnswer([Buffer.from(`{"a":"${'{x'.repeat(MEBIBYTE / 2)}`)], work)
    expect(work.steps).toBeLessThanOrEqual(4 * MEBIBYTE)
  })

  it('objects nested and closed up to the limit', async () => {
    const work = { steps: 0 }
    const nest = `${'{"a":'.repeat(256)}1${'}'.repeat(256)}`
    await scanAnswer([Buffer.alloc(4 * MEBIBYTE, nest)], work)
    expect(work.steps).toBeLessThanOrEqual(16 * MEBIBYTE)
  })
})

function split(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)]
}

/** The definition itself: every substring is tried, and those inside another are left out. The text is ASCII. */
function findByTrying(text: string): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== '{') continue
    for (let end = text.length; end > start; end -= 1)
      if (text[end - 1] === '}' && isObject(text.slice(start, end))) found.push([start, end])
  }
  return found.filter(
    ([start, end]) =>
      !found.some((other) => other[0] <= start && end <= other[1] && other[1] - other[0] > end - start),
  )
}

function isObject(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
