// The built-in pipeline in a project with a real bare remote, typed at the command line, against a forge on 127.0.0.1.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { baton } from '../../e2e/baton.ts'
import type { Ended } from '../../e2e/baton.ts'
import { commitAll, gitIn, makeFolder, writeFiles } from '../git.ts'
import type { Files } from '../git.ts'
import { goodRoles, projectFiles } from '../pipeline.ts'
import { exampleOf } from './forge-server.ts'
import type { Replies } from './forge-server.ts'
import { makeOffering } from './offering.ts'
import type { Offering } from './offering.ts'

export interface PipelineOffering extends Offering {
  /** `baton run --issue #1347 --deliver pr`, with more words. */
  fromIssue(...words: readonly string[]): Promise<Ended>
  type(...words: readonly string[]): Promise<Ended>
  journal(): Promise<string>
}

const number = 1347
const getIssue = 'GET /repos/{owner}/{repo}/issues/{issue_number}'

export const issue = {
  title: 'Add a dark mode toggle',
  body: 'Use a **checkbox**.',
  url: `https://github.com/octocat/Hello-World/issues/${number}`,
}

/** The branch of the first run for that issue. */
export const branch = 'task/1-dark-mode-toggle'

export async function makePipelineOffering(
  more: { readonly replies?: Replies; readonly roles?: object; readonly forge?: object } = {},
): Promise<PipelineOffering> {
  const { title, body } = issue
  const asked = { body: exampleOf('github', getIssue, { title, body, pull_request: undefined }) }
  const offering = await makeOffering({
    ...{ files: projectFiles, forge: more.forge ?? {} },
    replies: { [getIssue]: asked, ...more.replies },
    script: { roles: { ...goodRoles, ...more.roles } },
  })
  const type = (...words: readonly string[]) => baton(offering.root, words, offering)
  const script = join(offering.home, 'script.json')
  return {
    ...offering,
    type,
    fromIssue: (...words) =>
      type('run', '--issue', `#${number}`, '--deliver', 'pr', '--script', script, ...words),
    journal: () => readFile(join(offering.root, '.baton/runs/1.log.jsonl'), 'utf8'),
  }
}

/** Somebody else has a clone of the remote, and pushes to one of its branches. */
export async function colleaguePushes({ bare }: Offering, to: string, files: Files): Promise<string> {
  const clone = join(await makeFolder(), 'clone')
  await gitIn(bare, 'clone', '--quiet', '--branch', to, bare, clone)
  await writeFiles(clone, files)
  const commit = await commitAll(clone, 'from a colleague')
  await gitIn(clone, 'push', '--quiet', 'origin', to)
  return commit
}
