import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../model/json.ts'
import { parseAnswer, type AnswerMode, type ParsedAnswer } from './parse-answer.ts'

const fits = (value: Json): readonly string[] =>
  isJsonObject(value) && (value['verdict'] === 'APPROVE' || value['verdict'] === 'REJECT')
    ? []
    : ['verdict: must be one of "APPROVE", "REJECT"']

function parse(text: string, mode: AnswerMode = 'json_tail'): Promise<ParsedAnswer> {
  return parseAnswer([Buffer.from(text)], fits, mode)
}

const answer = (value: { [key: string]: Json }, source = 'object', repaired = false) => ({
  type: 'answer',
  value,
  source,
  repaired,
})
const approve = { verdict: 'APPROVE' }
const reject = { verdict: 'REJECT' }
const misfit = 'does not fit: verdict: must be one of "APPROVE", "REJECT"'

describe('two answers in one text', () => {
  const verdicts = (value: Json): readonly string[] =>
    isJsonObject(value) && typeof value['verdict'] === 'string' ? [] : ['no verdict']
  const read = (text: string) => parseAnswer([Buffer.from(text)], verdicts, 'json_tail')
  const problem = 'two different JSON objects that would both do stand one after the other: give one'

  it.each([
    ['one after the other', '{"verdict":"REJECT"}\n{"verdict":"APPROVE"}'],
    ['each in a fence', '```json\n{"verdict":"REJECT"}\n```\n\n```json\n{"verdict":"APPROVE"}\n```\n'],
  ])('%s, that contradict each other are no answer', async (_title, text) => {
    expect(await read(text)).toEqual({ type: 'invalid', problem })
  })

  it.each([
    ['bare', '{"verdict":"REJECT","verdict":"APPROVE"}'],
    ['in a fence', '```json\n{"verdict":"REJECT", "verdict" : "APPROVE"}\n```'],
    ['one of them in disguise', '{"verdict":"REJECT","verd\\u0069ct":"APPROVE"}'],
    ['in single quotes', "{'verdict':'REJECT','verdict':'APPROVE'}"],
  ])('in one object are none: %s', async (_title, text) => {
    const twice = '"verdict" stands twice in one JSON object: give it once'
    expect(await read(text)).toEqual({ type: 'invalid', problem: twice })
  })

  it('are none in one object that is the whole text', async () => {
    const parsed = await parse('{"verdict":"REJECT","verdict":"APPROVE"}', 'json_only')
    expect(parsed).toMatchObject({ type: 'invalid', problem: expect.stringContaining('stands twice') })
  })

  it('are no two where a key stands in several objects, or in a text', async () => {
    const value = { verdict: 'APPROVE', list: [{ verdict: 'a' }, { verdict: 'b' }], text: '"verdict": "x' }
    expect(await read(JSON.stringify(value))).toMatchObject({ type: 'answer', value })
  })

  it.each([
    ['the same twice', '{"verdict":"APPROVE"}\n{"verdict":"APPROVE"}'],
    ['the first does not fit', '{"name":"x"}\n{"verdict":"APPROVE"}'],
    [
      'a sentence stands between them',
      '{"verdict":"REJECT"}\nI thought at first. But now:\n{"verdict":"APPROVE"}',
    ],
  ])('are one where %s: the last counts (C-05)', async (_title, text) => {
    expect(await read(text)).toMatchObject({ type: 'answer', value: { verdict: 'APPROVE' } })
  })
})

describe('json_tail (R000-31 to R000-35, R001-67, C-03, C-05)', () => {
  it.each([
    [
      'the object is found in conversational filler',
      'Done!\n\n{"verdict":"APPROVE"}\nBye {now}.',
      answer(approve),
    ],
    [
      'the last object wins',
      '{"verdict":"REJECT"} no: and at the end {"verdict":"APPROVE"}',
      answer(approve),
    ],
    ['of two objects the one that fits wins', '{"verdict":"REJECT"} {"verdict":"?"}', answer(reject)],
    [
      'a fenced block wins over a later object',
      '```json\n{"verdict":"REJECT"}\n```\n{"verdict":"APPROVE"}',
      answer(reject, 'fenced'),
    ],
    [
      'the last fenced block that fits wins',
      '```json\n{"verdict":"REJECT"}\n```\nor rather\n```json\n{"verdict":"APPROVE"}\n```\n```json\n{"x":1}\n```',
      answer(approve, 'fenced'),
    ],
    [
      'an object wins over a fenced block that does not fit',
      '```json\n{}\n```\n{"verdict":"REJECT"}',
      answer(reject),
    ],
    [
      'lines may end with CR LF',
      '```json\r\n{\r\n"verdict":"REJECT"\r\n}\r\n```\r\n',
      answer(reject, 'fenced'),
    ],
    ['a block in another language counts as prose', '```\n{"verdict":"REJECT"}\n```', answer(reject)],
    ['an object in a broken one is found', '{"a": {"verdict":"REJECT"}, oops', answer(reject)],
    ['an object in a broken block is found', '```json\n// so:\n{"verdict":"REJECT"}\n```', answer(reject)],
    [
      'characters beyond ASCII are kept',
      '{"verdict":"REJECT","why":"naïve 👍"}',
      answer({ ...reject, why: 'naïve 👍' }),
    ],
  ])('%s', async (_, text, expected) => {
    expect(await parse(text)).toEqual(expected)
  })

  it.each([
    ['an empty text', '', { type: 'none', problem: 'the answer is empty' }],
    ['white space only', ' \r\n\t', { type: 'none', problem: 'the answer is empty' }],
    [
      'a text without an object',
      'I {could} not.',
      { type: 'none', problem: 'no complete JSON object was found in the answer' },
    ],
    [
      'an object that does not fit',
      '{"verdict":"REJEC"} {"verdict":"MAYBE"}',
      { type: 'invalid', problem: `the JSON object ${misfit}`, value: { verdict: 'MAYBE' } },
    ],
    [
      'a block that does not fit, named before an object',
      '```json\n{"a":1}\n```\n{"b":1}',
      { type: 'invalid', problem: `the fenced JSON ${misfit}`, value: { a: 1 } },
    ],
    [
      'a block that does not parse',
      '```json\n{\n  "vérdict": APPROVE\n}\n```',
      { type: 'invalid', problem: 'the fenced JSON does not parse: line 2, column 14: unexpected "A"' },
    ],
    [
      'a block that is cut off',
      'So:\n```json\n{"verdict":\n',
      { type: 'invalid', problem: 'the fenced JSON does not parse: line 1, column 12: it ends too early' },
    ],
    [
      'an empty block',
      '```json\n```',
      { type: 'invalid', problem: 'the fenced JSON does not parse: it is empty' },
    ],
    [
      'an array',
      '[{"verdict":"APPROVE"}]',
      { type: 'invalid', problem: 'expected a JSON object, but found an array', value: [approve] },
    ],
    [
      'an array in a block',
      'x\n```json\n[{"verdict":"APPROVE"}]\n```',
      { type: 'invalid', problem: 'expected a JSON object, but found an array', value: [approve] },
    ],
    [
      'a scalar',
      '"APPROVE"',
      { type: 'invalid', problem: 'expected a JSON object, but found a string', value: 'APPROVE' },
    ],
    ['null', 'null', { type: 'invalid', problem: 'expected a JSON object, but found null', value: null }],
  ])('the problem is told: %s', async (_, text, expected) => {
    expect(await parse(text)).toEqual(expected)
  })

  it('a problem names five misfits and counts the others', async () => {
    const validate = () => ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect(await parseAnswer([Buffer.from('{}')], validate, 'json_tail')).toEqual({
      type: 'invalid',
      problem: 'the JSON object does not fit: a; b; c; d; e; and 2 more',
      value: {},
    })
  })

  it('a block nested deeper than 256 levels does not fit', async () => {
    const text = `\`\`\`json\n{"verdict":"APPROVE","a":${'['.repeat(5000)}${']'.repeat(5000)}}\n\`\`\``
    expect(await parse(text)).toMatchObject({
      problem: 'the fenced JSON does not fit: must not be nested deeper than 256 levels',
    })
  })
})

describe('repair (C-04)', () => {
  it.each([
    ['single quotes in prose', "Done: { 'verdict': 'APPROVE' } ok?", answer(approve, 'object', true)],
    ['single quotes in a block', "```json\n{'verdict': 'APPROVE'}\n```", answer(approve, 'fenced', true)],
    ['trailing commas', '{"verdict":"REJECT","n":[1,2,],}', answer({ ...reject, n: [1, 2] }, 'object', true)],
    [
      'quotes inside single quotes',
      String.raw`{'verdict':'REJECT','why':'it\'s "so" \\ \n'}`,
      answer({ ...reject, why: 'it\'s "so" \\ \n' }, 'object', true),
    ],
    [
      'an apostrophe and a comma inside double quotes',
      `{"verdict":'REJECT',"why":"it's ,}"}`,
      answer({ ...reject, why: "it's ,}" }, 'object', true),
    ],
    [
      'braces and quotes in the prose around',
      "it's {x} {'verdict':'REJECT'} isn't {it}",
      answer(reject, 'object', true),
    ],
    [
      'a repaired object wins over its parts',
      'So {"verdict":"REJECT","é":[{"verdict":"APPROVE"},]}',
      answer({ ...reject, é: [approve] }, 'object', true),
    ],
    [
      'a repaired block wins over its parts',
      '```json\n{"verdict":"REJECT","n":[{"verdict":"APPROVE"},]}\n```',
      answer({ ...reject, n: [approve] }, 'fenced', true),
    ],
    [
      'valid JSON wins over what needs repair',
      '{"verdict":"REJECT"} {\'verdict\':\'APPROVE\'}',
      answer(reject),
    ],
  ])('accepted and flagged: %s', async (_, text, expected) => {
    expect(await parse(text)).toEqual(expected)
  })

  it.each([
    ['an apostrophe that ends a string early', "{'verdict':'APPROVE','why':'it's'}"],
    ['two numbers without a comma', '{"verdict":"APPROVE","n":[1 2],}'],
    ['a comma without a value', '{"verdict":"APPROVE","n":[,]}'],
    ['two commas', '{"verdict":"APPROVE",,}'],
    ['keys without quotes', '{verdict:"APPROVE"}'],
    ['an object that is cut off', "{'verdict':'APPROVE'"],
    ['brackets that do not match', "{'verdict':'APPROVE'],"],
    ['a line break in a string', "{'verdict':'APPROVE','a':'\n'}"],
    ['words of another language', "{'verdict':'APPROVE','a':None}"],
  ])('not guessed at: %s', async (_, text) => {
    expect(await parse(text)).toEqual({
      type: 'none',
      problem: 'no complete JSON object was found in the answer',
    })
  })

  it('a repaired object that does not fit is told as such', async () => {
    expect(await parse("{'verdict':'MAYBE'}")).toEqual({
      type: 'invalid',
      problem: `the JSON object ${misfit}`,
      value: { verdict: 'MAYBE' },
    })
  })

  it('any object written with single quotes and trailing commas is read as it was meant', async () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    await fc.assert(
      fc.asyncProperty(object, async (value) => {
        const parsed = await parseAnswer([Buffer.from(writeLoosely(value as Json))], () => [], 'json_tail')
        expect(parsed).toMatchObject({
          type: 'answer',
          value: JSON.parse(JSON.stringify(value)),
          repaired: true,
        })
      }),
    )
  })

  it('a hostile tail does not make the search for a repair slow', async () => {
    for (const unit of ["{'a':[", "{'", "{'a':1,", '{', "{'a':{'b':[1,"]) {
      expect((await parse(unit.repeat(20_000))).type).toBe('none')
    }
  })
})

describe('json_only (C-03)', () => {
  it.each([
    ['the whole text is the object', ' \n{"verdict":"APPROVE"}\r\n', answer(approve, 'whole')],
    ['an empty text is no answer', ' \n', { type: 'none', problem: 'the answer is empty' }],
    [
      'prose is no answer',
      'I am sorry.',
      { type: 'none', problem: 'no JSON object was found: "I am sorry."' },
    ],
    [
      'an object must fit',
      '{"verdict":1}',
      { type: 'invalid', problem: `the JSON object ${misfit}`, value: { verdict: 1 } },
    ],
    [
      'an array is refused',
      '[{"verdict":"APPROVE"}]',
      { type: 'invalid', problem: 'expected a JSON object, but found an array', value: [approve] },
    ],
    [
      'a fence is refused',
      '```json\n{"verdict":"APPROVE"}\n```',
      {
        type: 'invalid',
        problem: 'the answer must be one JSON object and nothing else, but it holds a fenced block',
      },
    ],
    [
      'text before and after is refused and quoted',
      `Sure, here is the é answer you have been asking me for: {"verdict":"APPROVE"}\nBye`,
      {
        type: 'invalid',
        problem:
          'the answer must be one JSON object and nothing else, but there is ' +
          '"Sure, here is the é answer you have been..." before it and "Bye" after it',
      },
    ],
    [
      'a second object is refused',
      '{"verdict":"APPROVE"} {"verdict":"REJECT"}',
      {
        type: 'invalid',
        problem: String.raw`the answer must be one JSON object and nothing else, but there is "{\"verdict\":\"REJECT\"}" after it`,
      },
    ],
    [
      'a broken object is refused with its place',
      '{"a":{"b":1},\n oops}',
      { type: 'invalid', problem: 'the JSON object does not parse: line 2, column 2: unexpected "o"' },
    ],
    [
      'single quotes are not repaired',
      "{'verdict':'APPROVE'}",
      { type: 'invalid', problem: 'the JSON object does not parse: line 1, column 2: unexpected "\'"' },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await parse(text, 'json_only')).toEqual(expected)
  })

  it('a text above one mebibyte is refused without reading on', async () => {
    let isClosed = false
    function* endless() {
      try {
        for (;;) yield Buffer.alloc(100_000, ' ')
      } finally {
        isClosed = true
      }
    }
    const parsed = await parseAnswer(endless(), fits, 'json_only')
    expect({ parsed, isClosed }).toEqual({
      parsed: { type: 'invalid', problem: 'the answer is larger than 1 MiB' },
      isClosed: true,
    })
  })
})

describe('any text', () => {
  it('is parsed without throwing, in both modes', async () => {
    const pieces = [
      '{',
      '}',
      '"',
      "'",
      '```json\n',
      '```\n',
      '"verdict":',
      "'APPROVE'",
      ',',
      '[',
      ']',
      '\\',
      'x',
      '\n',
      '1',
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom('json_tail' as const, 'json_only' as const),
        async (value, mode) => {
          expect(['answer', 'none', 'invalid']).toContain((await parse(value, mode)).type)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

function writeLoosely(value: Json): string {
  if (typeof value === 'string') return writeString(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => `${writeLoosely(item)} ,`).join('')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, inner]) => `${writeString(key)} : ${writeLoosely(inner)},\n`,
  )
  return `{${entries.join('')}}`
}

function writeString(value: string): string {
  const body = JSON.stringify(value).slice(1, -1)
  return `'${body.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
}
