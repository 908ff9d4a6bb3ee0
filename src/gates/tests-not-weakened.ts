import type { JsonObject } from '../model/json.ts'
import { countTests, noTests } from './count-tests.ts'
import type { TestCounts } from './count-tests.ts'
import type { ChangedFile, GateFacts, Judgement } from './gate.ts'
import { met, planOf, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'
import { mentions, readPlan, saysAbout } from './plan-text.ts'
import type { PlanText } from './plan-text.ts'
import { changedTestCommand } from './test-command.ts'
import { isNamedTest, languageOf } from './test-languages.ts'

/**
 * The tests of the whole branch against those it began with, so that what one round has weakened is still seen in the
 * next. A plan that names a file excuses fewer cases there, but a case that is left out only if it says so.
 */
export function testsNotWeakened(facts: GateFacts, parameters: JsonObject): Judgement {
  const plan = readPlan(planOf(facts, parameters['tests_not_weakened']))
  const files = facts.testing.files.flatMap(comparedFile)
  const command = changedTestCommand(facts.testing, facts.branch).filter((path) => !mentions(plan, path))
  const findings = [
    ...newSkips(files, plan),
    ...losses(files, plan, 'cases'),
    ...losses(files, plan, 'assertions'),
    ...deletedTests(files, plan),
    ...(command.length > 0 ? [`how the tests are run was changed in ${listed(command)}`] : []),
  ]
  const unread =
    facts.testing.skipped.length > 0 ? `\nnot looked into, over 1 MB: ${listed(facts.testing.skipped)}` : ''
  if (findings.length === 0) return met(`${summary(files)}${unread}`)
  return unmet(`${findings.join('; ')}, and the plan does not ask for it${unread}`)
}

interface Compared {
  readonly file: ChangedFile
  readonly before: TestCounts
  readonly after: TestCounts
}

function comparedFile(file: ChangedFile): Compared[] {
  const count = (path: string, text: string | undefined): TestCounts => {
    const language = languageOf(path)
    return language && text !== undefined ? countTests(text, language) : noTests
  }
  if (!languageOf(file.path) && !languageOf(file.from ?? file.path)) return []
  return [{ file, before: count(file.from ?? file.path, file.before), after: count(file.path, file.after) }]
}

/** Lines rather than numbers: one that only moved is not new, and taking one away does not pay for another. */
function newSkips(files: readonly Compared[], plan: PlanText): string[] {
  const known = new Map<string, number>()
  for (const line of files.flatMap(({ before }) => before.skips)) known.set(line, (known.get(line) ?? 0) + 1)
  const added = files.flatMap(({ file, after }) =>
    after.skips
      .filter((line) => {
        const left = known.get(line) ?? 0
        known.set(line, left - 1)
        return left <= 0 && !saysAbout(plan, file.path, leavingOut)
      })
      .map((line) => `${file.path}: ${line.slice(0, 100)}`),
  )
  return added.length > 0 ? [`tests are left out by ${listed(added)}`] : []
}

const leavingOut = /\b(?:skip|ignore|disable|xfail|pending|todo|only)/i

/** A loss that other files make up for is a move. */
function losses(files: readonly Compared[], plan: PlanText, kind: 'cases' | 'assertions'): string[] {
  const change = ({ before, after }: Compared): number => after[kind] - before[kind]
  const gained = files.reduce((sum, file) => sum + Math.max(0, change(file)), 0)
  const lost = files.filter((one) => change(one) < 0 && !isPlanned(one, plan))
  const total = lost.reduce((sum, file) => sum - change(file), 0)
  if (total <= gained) return []
  const names = lost.map((one) => `${one.file.path} (${one.before[kind]} before, ${one.after[kind]} now)`)
  const what = kind === 'cases' ? counted(total - gained, 'test case') : counted(total - gained, 'assertion')
  return [`${what} fewer in ${listed(names)}`]
}

/** A file of tests in which nothing could be counted is still one less. */
function deletedTests(files: readonly Compared[], plan: PlanText): string[] {
  const deleted = files.filter(
    (one) =>
      one.file.after === undefined &&
      isNamedTest(one.file.path) &&
      one.before.cases + one.before.assertions === 0 &&
      !isPlanned(one, plan),
  )
  return deleted.length > 0 ? [`deleted: ${listed(deleted.map(({ file }) => file.path))}`] : []
}

function isPlanned({ file }: Compared, plan: PlanText): boolean {
  return mentions(plan, file.path) || (file.from !== undefined && mentions(plan, file.from))
}

function summary(files: readonly Compared[]): string {
  const sum = (kind: 'cases' | 'assertions', when: 'before' | 'after'): number =>
    files.reduce((total, file) => total + file[when][kind], 0)
  const changed = files.filter(({ before, after }) => before.cases + after.cases > 0)
  if (changed.length === 0) return 'no test was changed'
  return `${counted(changed.length, 'test file')} changed: ${sum('cases', 'before')} cases before, ${sum('cases', 'after')} now; ${sum('assertions', 'before')} assertions before, ${sum('assertions', 'after')} now`
}
