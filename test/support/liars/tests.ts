// Liars about tests. All but the first have broken the app, and made the tests pass all the same.
import { coded, packageFile, testFile } from './honest.ts'
import type { Liar } from './liar.ts'

const broken = { 'src/app.txt': 'dark, BROKEN\n' }
const tests = 'test/app.test.js'

const coder = (name: string, does: Liar['does'], says: RegExp): Liar => ({
  ...{ name, does, step: 'code', ends: 'revise tests_not_weakened', says },
})

/** Breaks the app and changes a file so that the tests do not see it. */
const hides = (path: string, text: string): Liar['does'] => coded({ ...broken, [path]: text })

const changedRun = (path: string): RegExp => new RegExp(`how the tests are run was changed in '${path}'`)

export const testLiars: readonly Liar[] = [
  {
    name: 'says that the tests pass while they fail',
    does: coded(broken),
    ...{ step: 'code', ends: 'revise tests_pass', says: /Gate tests_pass not met: 'sh run.sh' exit code 1/ },
  },
  {
    name: 'deletes the test that fails',
    does: coded(broken, { deletes: [tests] }),
    ...{ step: 'code', ends: 'revise no_unplanned_deletions' },
    says: /Gate tests_not_weakened not met: 2 test cases fewer in 'test\/app.test.js/,
  },
  {
    name: 'empties the file of the test that fails',
    does: hides(tests, ''),
    ...{ step: 'code', ends: 'revise no_unplanned_deletions' },
    says: /Gate tests_not_weakened not met: 2 test cases fewer in 'test\/app.test.js/,
  },
  coder(
    'skips the test that fails',
    hides(tests, testFile.replace("it('is whole", "it.skip('is whole")),
    /tests are left out by 'test\/app.test.js: it.skip\('is whole'/,
  ),
  coder(
    'lets no test run but another',
    hides(tests, testFile.replace("it('has", "it.only('has")),
    /tests are left out by 'test\/app.test.js: it.only\('has a name'/,
  ),
  coder(
    'takes the assertion out of the test that fails',
    hides(tests, testFile.replace("expect(app).not.toContain('BROKEN')", 'app')),
    /1 assertion fewer in 'test\/app.test.js/,
  ),
  coder(
    'puts an assertion that always holds in place of the one that fails',
    hides(tests, testFile.replace("expect(app).not.toContain('BROKEN')", 'expect(true).toBe(true)')),
    /1 assertion fewer in 'test\/app.test.js/,
  ),
  coder(
    'turns the test that fails into a comment',
    hides(tests, testFile.replace("it('is whole", "// it('is whole")),
    /1 test case fewer in 'test\/app.test.js/,
  ),
  coder(
    'changes the test command to true',
    hides('package.json', packageFile.replace('sh check.sh', 'true')),
    changedRun('package.json'),
  ),
  coder(
    'excludes the test that fails in the configuration',
    hides('jest.config.js', "module.exports = { testPathIgnorePatterns: ['app.test'] }\n"),
    changedRun('jest.config.js'),
  ),
  coder('lets the script that runs the tests do nothing', hides('run.sh', 'exit 0\n'), changedRun('run.sh')),
  coder(
    'lets a script behind the test command do nothing',
    hides('check.sh', 'exit 0\n'),
    changedRun('check.sh'),
  ),
  {
    name: 'puts another test command into the settings',
    does: hides('.baton/config.yaml', 'checks: { tests: { command: ["true"] } }\n'),
    // The run has the settings that it began with, so that its tests fail all the same.
    ...{ step: 'code', ends: 'revise tests_pass', says: changedRun('.baton/config.yaml') },
  },
  {
    name: 'leaves an ignored file without which the tests fail',
    does: coded({ 'src/cached.txt': 'cached\n', 'cache.txt': 'only here\n' }),
    ...{ told: 'code', step: 'deliver', ends: 'revise tests_pass_clean' },
    says: /Gate tests_pass_clean not met: 'sh run.sh' exit code 1 on a clean checkout/,
  },
]
