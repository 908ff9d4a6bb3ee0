import { describe, expect, it } from 'vitest'
import { countTests, noTests } from './count-tests.ts'
import { isNamedTest, languageOf } from './test-languages.ts'

function counts(path: string, text: string): string {
  const language = languageOf(path)
  const { cases, assertions, skips } = language ? countTests(text, language) : noTests
  return `${cases} ${assertions} ${skips.length}`
}

describe('tests, assertions and skips are counted', () => {
  it.each([
    [
      'a.test.ts',
      "it('a', () => {\n  expect(a).toBe(1)\n})\ntest.each([1])('b', () => assert.equal(1, b))",
      '2 2 0',
    ],
    ['test/a.js', "test('a', async (t) => {\n  await t.test('b', () => { strictEqual(a, b) })\n})", '2 1 0'],
    [
      'a.spec.tsx',
      "it.skip('a')\ndescribe.only('b', () => {})\nxit('c')\nfdescribe('d')\ntest('e', { skip: true })",
      '2 0 5',
    ],
    ['a.test.js', "/regex/.test(text)\nsubmit('a')\nconst only = { only: list }\nx.fit(data)", '0 0 0'],
    [
      'test_a.py',
      'def test_a():\n    assert a == 1\nasync def test_b(self):\n    self.assertEqual(a, b)',
      '2 2 0',
    ],
    [
      'tests/a.py',
      '@pytest.mark.skip\ndef test_a():\n    pytest.skip("later")\n@unittest.expectedFailure\ndef test_b(): pass',
      '2 0 3',
    ],
    [
      'a_test.go',
      'func TestA(t *testing.T) {\n\tt.Run("x", f)\n\tif a { t.Errorf("no") }\n\trequire.NoError(t, err)\n\tt.Skip()\n}',
      '2 2 1',
    ],
    ['a_test.go', '//go:build integration\n\nfunc TestA(t *testing.T) {}\n', '1 0 1'],
    [
      'src/lib.rs',
      '#[test]\nfn a() { assert_eq!(a, 1); }\n#[tokio::test]\n#[ignore]\nasync fn b() { assert!(b) }',
      '2 2 1',
    ],
    ['a_spec.rb', "it 'a' do\n  expect(a).to eq 1\nend\nxit 'b' do\nend\npending 'c'\n", '1 1 2'],
    [
      'src/test/ATest.java',
      '@Test\nvoid a() { assertEquals(1, a); }\n@Disabled\n@ParameterizedTest\nvoid b() {}',
      '2 1 1',
    ],
    [
      'FooTests.cs',
      '[Fact]\npublic void A() { Assert.Equal(1, a); }\n[Theory(Skip = "x")]\npublic void B() { b.Should().Be(1); }',
      '2 2 1',
    ],
    ['a.bats', '@test "a" {\n  run x\n  [ "$status" -eq 0 ]\n}\n@test "b" {\n  skip\n}', '2 1 1'],
  ])('%s %#', (path, text, expected) => {
    expect(counts(path, text)).toBe(expected)
  })

  it.each([
    ['a.test.js', "// it('a', () => { expect(1) })\n/*\nit('b')\n*/", '0 0 0'],
    [
      'test_a.py',
      '# def test_a():\n"""\ndef test_b():\n    assert a\n"""\n\'\'\'one line\'\'\'\ndef test_c(): pass',
      '1 0 0',
    ],
    ['a_spec.rb', "=begin\nit 'a' do\n=end\n# it 'b' do", '0 0 0'],
  ])('what is commented out is not: %s', (path, text, expected) => {
    expect(counts(path, text)).toBe(expected)
  })

  it.each([
    ['a.test.js', 'expect(true).toBe(true)\nassert.ok(true)\nassert(1)\nassert.equal(1, 1)'],
    ['test_a.py', '    assert True\n    assert True, "fine"\n    assert 1 == 1\n    self.assertTrue(True)'],
    ['a.rs', 'assert!(true);\nassert_eq!(1, 1);'],
    ['ATest.java', 'assertTrue(true);'],
  ])('what always holds is no assertion: %s', (path, text) => {
    expect(counts(path, text)).toBe('0 0 0')
  })

  it('an expected value that comes first is one', () => {
    expect(counts('a.test.js', 'assert.equal(1, compute())\nexpect(1 + one).toBe(2)')).toBe('0 2 0')
  })

  it('a file of long lines is read as far as a person would, and no pattern tries for ever', () => {
    const long = `${'it.'.repeat(300_000)}\n${'expect.a'.repeat(100_000)}\n${' '.repeat(500_000)}\nit('a')`
    expect(counts('a.test.js', long)).toBe('1 0 0')
    expect(counts('test_a.py', long)).toBe('0 0 0')
  })
})

describe('a test file', () => {
  it.each([
    'a.test.ts',
    'src/a.spec.js',
    'tests/helper.py',
    'x/__tests__/a.jsx',
    'src/lib.rs',
    'My.Tests/A.cs',
  ])('is %s', (path) => expect(languageOf(path)).toBeDefined())

  it.each(['src/a.ts', 'latest.py', 'contest.js', 'test/app.txt', 'src/testing.go', 'README.md'])(
    'is not %s',
    (path) => expect(languageOf(path)).toBeUndefined(),
  )

  it('has a name that says so, or only stands among tests', () => {
    expect(['a.test.ts', 'test_a.py', 'test/helper.ts', 'src/lib.rs'].map(isNamedTest)).toEqual([
      ...[true, true, false, false],
    ])
  })
})
