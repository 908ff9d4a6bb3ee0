// From a task to a pull request: a real bare remote, a forge that answers as its description says.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitIn, writeFiles } from '../support/git.ts'
import { makeOffering } from '../support/forges/offering.ts'
import type { Ended } from '../support/forges/offering.ts'
import { colleaguePushes } from '../support/forges/pipeline-offering.ts'

describe('a delivery as a pull request', () => {
  it('pushes the task branch and nothing else, and opens one pull request (R001-64, R001-65, R001-77, C-69)', async () => {
    const offering = await makeOffering()
    const main = await offering.at('main')
    const { outcome } = await offering.start()
    const branch = outcome?.state.branch ?? ''
    expect(outcome?.state).toMatchObject({ status: 'delivered', branch: 'task/1-work' })
    expect(await offering.at(branch)).toBe(await gitIn(offering.root, 'rev-parse', branch))
    expect(await gitIn(offering.bare, 'for-each-ref', '--format=%(refname)')).toBe(
      `refs/heads/main\nrefs/heads/${branch}`,
    )
    expect(await offering.at('main')).toBe(main)
    expect(offering.pulls).toMatchObject([{ title: 'Write the work', head: branch, base: 'main' }])
    expect(offering.pulls[0]?.body).toContain('> Write the work')
    expect(offering.server.violations).toEqual([])
  })

  it('starts after the remote check, whose answer is recorded (R001-18 to R001-21, R001-24)', async () => {
    const offering = await makeOffering()
    const { outcome } = await offering.start()
    const text = await readFile(outcome?.folder.journal ?? '', 'utf8')
    const types = text.split('\n').flatMap((line) => /"type":"([^"]+)"/.exec(line)?.[1] ?? [])
    expect(types.indexOf('remote.checked')).toBeGreaterThan(0)
    expect(types.indexOf('remote.checked')).toBeLessThan(types.indexOf('branch.created'))
    expect(text).toContain('"answer":"protected"')
    expect(text).not.toContain('token-of-the-test')
  })

  it('merges what colleagues have pushed meanwhile, which this clone has not fetched (R001-75)', async () => {
    const offering = await makeOffering()
    await colleaguePushes(offering, 'main', { 'colleague.txt': 'theirs\n' })
    const { outcome } = await offering.start()
    const branch = outcome?.state.branch ?? ''
    expect(await gitIn(offering.bare, 'show', `${branch}:colleague.txt`)).toBe('theirs')
    expect(await gitIn(offering.root, 'rev-parse', 'main')).not.toBe(await offering.at('main'))
    expect(await gitIn(offering.bare, 'merge-base', '--is-ancestor', 'main', branch)).toBe('')
  })

  it('does not touch a branch of the same name that somebody else has', async () => {
    const offering = await makeOffering()
    await gitIn(offering.bare, 'branch', 'task/1-work', 'main')
    const theirs = await offering.at('task/1-work')
    const { outcome } = await offering.start()
    expect(outcome?.end).toMatchObject({
      type: 'waiting',
      question: { text: expect.stringContaining('branch_moved') as unknown },
    })
    expect(await offering.at('task/1-work')).toBe(theirs)
    expect(offering.pulls).toEqual([])
  })

  it('without a token keeps the pushed branch, and resume opens the pull request', async () => {
    const offering = await makeOffering()
    const env = offering.env as Record<string, string>
    delete env['FORGE_TOKEN']
    const { failure } = await offering.start()
    expect(failure).toMatchObject({ code: 'deliver.pr_failed', exitCode: 3 })
    expect(await offering.at('task/1-work')).not.toBe('')
    env['FORGE_TOKEN'] = 'token-of-the-test'
    expect(status(await offering.resume())).toBe('delivered')
    expect(offering.pulls).toHaveLength(1)
  })

  it('to a plain repository is a file with the command that merges it', async () => {
    const offering = await makeOffering()
    await writeFiles(join(offering.home, '.config', 'baton'), { 'config.yaml': 'provider: scripted\n' })
    const { outcome } = await offering.start()
    expect(outcome?.state.status).toBe('delivered')
    expect(await offering.at('task/1-work')).not.toBe('')
    const file = await readFile(join(outcome?.folder.dir ?? '', 'pull-request.md'), 'utf8')
    expect(file).toContain('git switch main && git merge --no-ff task/1-work')
    expect(offering.server.sent).toEqual([])
  })

  it('without any remote is the file alone', async () => {
    const offering = await makeOffering()
    await writeFiles(join(offering.home, '.config', 'baton'), { 'config.yaml': 'provider: scripted\n' })
    await gitIn(offering.root, 'remote', 'remove', 'origin')
    const { outcome } = await offering.start()
    expect(outcome?.state.status).toBe('delivered')
    expect(await readFile(join(outcome?.folder.dir ?? '', 'pull-request.md'), 'utf8')).toContain(
      '## Asked for',
    )
  })
})

describe('a delivery that is disturbed', () => {
  it('is resumable when the remote cannot be reached for the push', async () => {
    const offering = await makeOffering()
    await gitIn(offering.root, 'remote', 'set-url', 'origin', `${offering.bare}-away`)
    const { failure } = await offering.start()
    expect(failure).toMatchObject({ code: 'deliver.push_failed', exitCode: 3 })
    expect(await readFile(join(offering.root, '.baton/runs/1.log.jsonl'), 'utf8')).toContain(
      'base_not_fetched',
    )
    await gitIn(offering.root, 'remote', 'set-url', 'origin', offering.bare)
    expect(status(await offering.resume())).toBe('delivered')
  })
})

function status({ outcome, failure }: Ended): string {
  return outcome?.state.status ?? failure?.code ?? ''
}
