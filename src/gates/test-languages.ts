/** How tests look in a language, line by line. Patterns are tried on single lines of bounded length. */
export interface TestLanguage {
  /** File names that say "test". */
  readonly named: RegExp
  readonly cases: RegExp
  readonly assertions: RegExp
  /** Cases that are left out, or others that are because of them. */
  readonly skips: RegExp
  readonly comments: {
    readonly line: string
    readonly open?: string
    readonly close?: string
    /** What looks like a comment and is none. */
    readonly unless?: RegExp
  }
}

const c = { line: '//', open: '/*', close: '*/' } as const

const javascript: TestLanguage = {
  named: /[.-](?:test|spec|e2e|cy)\.\w+$/,
  cases: /(?<![\w.$])(?:(?:t|Deno|QUnit)\.)?(?:it|test|specify)(?:\.\w+){0,3}\s*[(`]/g,
  assertions:
    /(?<![\w.$])(?:expect|assert\w*)(?:\.\w+){0,4}\s*\(|\.should\b|(?<![\w.$])(?:t\.)?(?:is|like|equal|notEqual|strictEqual|deepEqual|deepStrictEqual|notStrictEqual|throws|rejects|ok|truthy|falsy|same|match)\s*\(/g,
  skips:
    /(?<![\w.$'"`])(?:it|test|describe|suite|context|specify)(?:\.\w+){0,3}?\.(?:skip|skipIf|runIf|todo|only|fails|failing|fixme)\b|(?<![\w.$'"`])(?:x|f)(?:it|test|describe|context|specify)\s*[(`.]|\b(?:this|t)\.(?:skip|todo)\s*\(|(?<![\w.$])pending\s*\(|\b(?:skip|todo|only)\s*:\s*true\b|\b(?:skip|todo)\s*:\s*['"`]/g,
  comments: c,
}

const python: TestLanguage = {
  named: /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/,
  cases: /^\s*(?:async\s+)?def\s+test\w*\s*\(/g,
  assertions:
    /^\s*assert\b|\bself\.(?:assert\w+|fail)\s*\(|\b(?:pytest|self)\.(?:raises|warns)\s*\(|(?<![\w.])assert_\w+\s*\(/g,
  skips:
    /\bmark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\bSkipTest\b|\bcollect_ignore\w*\b|\b__test__\s*=\s*False/g,
  comments: { line: '#' },
}

const go: TestLanguage = {
  named: /_test\.go$/,
  cases: /^func\s+(?:Test|Fuzz|Example)\w*\s*\(|\bt\.Run\s*\(/g,
  assertions: /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require)\.\w+\s*\(/g,
  skips: /\b[tb]\.(?:Skip|Skipf|SkipNow)\s*\(|^\/\/go:build\b|^\/\/ \+build\b/g,
  comments: { ...c, unless: /^\/\/(?:go:build| \+build)\b/ },
}

const rust: TestLanguage = {
  // Tests stand in the sources themselves, so that a name alone says nothing.
  named: /(?:^|\/)(?:tests?|[^/]*_tests?)\.rs$/,
  cases: /^\s*#\[(?:\w+::){0,3}(?:test|rstest|test_case|quickcheck)\b/g,
  assertions: /\b(?:debug_|prop_)?assert(?:_\w+)?!\s*[([{]/g,
  skips: /#\[ignore\b|#\[cfg\(any\(\)\)\]/g,
  comments: c,
}

const ruby: TestLanguage = {
  named: /(?:_spec|_test|(?:^|\/)test_[^/]*)\.rb$/,
  cases: /(?<![\w.])(?:it|specify|scenario|example|test)(?:\s+['"{]|\s*\(|\s+do\b)|^\s*def\s+test_\w+/g,
  assertions: /(?<![\w.])(?:expect|assert\w*|refute\w*)\b|\.should(?:_not)?\b|\.(?:must|wont)_\w+/g,
  skips:
    /(?<![\w.:])(?:xit|xdescribe|xcontext|xspecify|xscenario|fit|fdescribe|fcontext|skip|pending)\b|:(?:skip|pending|focus)\b|\b(?:skip|pending|focus):(?!\s*false)/g,
  comments: { line: '#', open: '=begin', close: '=end' },
}

const java: TestLanguage = {
  named: /(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|kts)$/,
  cases: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/g,
  assertions: /\b(?:assert\w*|verify|fail)\s*[({]|\bshould(?:Be|Not|Throw|Contain|Have)\w*\b/g,
  skips: /@(?:Disabled\w*|Ignore|EnabledIf\w*)\b|\bassume(?:True|False|That)\s*\(/g,
  comments: c,
}

const csharp: TestLanguage = {
  named: /Tests?\.cs$/,
  cases: /\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/g,
  assertions: /\bAssert\.(?!Ignore|Inconclusive|Pass)\w+|\.Should\(\)|\.Verify\s*\(/g,
  skips: /\[(?:Ignore|Explicit)\b|\bSkip\s*=|\bAssert\.(?:Ignore|Inconclusive|Pass)\b/g,
  comments: c,
}

const bats: TestLanguage = {
  named: /\.bats$/,
  cases: /^\s*@test\b/g,
  assertions: /^\s*(?:\[\[?\s|test\s|assert\w*\b|refute\w*\b|!\s)/g,
  skips: /^\s*skip\b|\bbats:focus\b/g,
  comments: { line: '#' },
}

const byEnding: Readonly<Record<string, TestLanguage>> = {
  ...{ js: javascript, mjs: javascript, cjs: javascript, jsx: javascript },
  ...{ ts: javascript, mts: javascript, cts: javascript, tsx: javascript },
  ...{ py: python, go, rs: rust, rb: ruby, java, kt: java, kts: java, cs: csharp, bats },
}

const testFolder = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|[\w.]+\.Tests?)\//i

/** Undefined for what holds no tests, or none that could be recognised. */
export function languageOf(path: string): TestLanguage | undefined {
  const language = byEnding[path.slice(path.lastIndexOf('.') + 1)]
  if (!language) return undefined
  return language === rust || language.named.test(path) || testFolder.test(path) ? language : undefined
}

/** Whether the name itself says that these are tests. A file in a test folder may be something they use. */
export function isNamedTest(path: string): boolean {
  return languageOf(path)?.named.test(path) === true
}

/** Also in languages whose tests nobody here can count: by folder or by name. */
export function isTestPath(path: string): boolean {
  return languageOf(path) !== undefined || testFolder.test(path) || testName.test(path)
}

const testName = /(?:^|[/._-])(?:tests?|specs?)(?:[._-][^/]*)?\.\w+$|(?:Tests?|Spec)\.\w+$/
