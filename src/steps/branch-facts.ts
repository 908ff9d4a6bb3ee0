import type { Agreed } from '../model/step-result.ts'
import { branchChanges, branchStart, readTexts, topNames } from '../git/branch-changes.ts'
import type { BlobText, BranchEntry } from '../git/branch-changes.ts'
import type { ChangedFile, GateFacts, Need, TestingFacts } from '../gates/gate.ts'
import { commandFiles, commandWords, saysHowToTest } from '../gates/test-command.ts'
import { languageOf } from '../gates/test-languages.ts'
import { currentBase } from './current-base.ts'
import type { Site } from './workplace.ts'

const largestFile = 1_000_000

export type BranchFacts = Pick<GateFacts, 'branch' | 'baseNames' | 'plans' | 'testing'>

export interface BranchQuestion {
  readonly tip: string
  readonly agreed: Agreed
  readonly needs: ReadonlySet<Need>
}

/** What the branch did since it began, and what it was held to: asked of the main repository, and only if needed. */
export async function branchFacts(site: Site, question: BranchQuestion): Promise<Partial<BranchFacts>> {
  const { tip, agreed, needs } = question
  if (!needs.has('branch')) return {}
  const base = await currentBase(site)
  const from = await branchStart(site.repo, { base, start: site.start, tip })
  const [entries, baseNames] = await Promise.all([
    branchChanges(site.repo, from, tip),
    needs.has('base_names') ? topNames(site.repo, from) : [],
  ])
  const aboutTests = needs.has('testing') ? entries.filter(isAboutTests) : []
  const texts = await readTexts(
    site.repo,
    [
      ...planNames(agreed),
      ...aboutTests.flatMap(({ before, after }) => [before, after].filter((id) => id !== undefined)),
      ...(needs.has('testing') ? commandFiles.map((path) => `${from}:${path}`) : []),
    ],
    largestFile,
  )
  return {
    branch: entries.map(({ before: _before, after: _after, ...change }) => change),
    baseNames,
    plans: plansOf(agreed, texts),
    testing: testingOf(aboutTests, texts, [
      ...(site.settings.checks['tests']?.command ?? []),
      ...commandFiles.flatMap((path) => commandWords(path, textOf(texts, `${from}:${path}`) ?? '')),
    ]),
  }
}

function isAboutTests({ path, from = path }: BranchEntry): boolean {
  return [path, from].some((name) => languageOf(name) !== undefined || saysHowToTest(name))
}

function planNames({ plans }: Agreed): string[] {
  return Object.values(plans).flatMap(({ paths, commit }) => paths.map((path) => `${commit}:${path}`))
}

/** What people have said in this run stands beside every plan: they may allow what it does not. */
function plansOf({ plans, said }: Agreed, texts: ReadonlyMap<string, BlobText>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(plans).map(([step, { paths, commit }]) => [
      step,
      [...paths.map((path) => textOf(texts, `${commit}:${path}`) ?? ''), ...said].join('\n\n'),
    ]),
  )
}

function testingOf(
  entries: readonly BranchEntry[],
  texts: ReadonlyMap<string, BlobText>,
  command: readonly string[],
): TestingFacts {
  const isTooLarge = ({ before = '', after = '' }: BranchEntry): boolean =>
    [before, after].some((id) => texts.get(id)?.type === 'too_large')
  const files = entries
    .filter((entry) => !isTooLarge(entry))
    .map(({ path, from, before, after }): ChangedFile => ({
      path,
      ...(from === undefined ? {} : { from }),
      before: before === undefined ? undefined : textOf(texts, before),
      after: after === undefined ? undefined : textOf(texts, after),
    }))
  return { files, skipped: entries.filter(isTooLarge).map(({ path }) => path), command }
}

function textOf(texts: ReadonlyMap<string, BlobText>, name: string): string | undefined {
  const found = texts.get(name)
  return found?.type === 'text' ? found.text : undefined
}
