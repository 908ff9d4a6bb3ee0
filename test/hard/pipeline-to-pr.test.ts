// The built-in pipeline, from an issue to a pull request: a real bare remote, a forge that answers as its published
// description says, and every command typed in a process of its own.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exampleOf } from '../support/forges/forge-server.ts'
import { gitIn } from '../support/git.ts'
import { branch, colleaguePushes, issue, makePipelineOffering } from '../support/forges/pipeline-offering.ts'
import { commits } from '../support/pipeline.ts'
import type { PipelineOffering } from '../support/forges/pipeline-offering.ts'

describe('the pipeline from an issue to a pull request', () => {
  it('pushes the task branch alone and shows in the pull request what it can prove (R001-18, R001-64, R001-65, R001-77)', async () => {
    const offering = await makePipelineOffering()
    const main = await offering.at('main')
    expect(await offering.fromIssue()).toMatchObject({ code: 0, stderr: '' })
    const tip = await gitIn(offering.root, 'rev-parse', branch)
    expect(await offering.at(branch)).toBe(tip)
    expect(await offering.at('main')).toBe(main)
    expect(await refsOf(offering)).toEqual(['refs/heads/main', `refs/heads/${branch}`])
    expect(offering.pulls).toMatchObject([{ title: issue.title, head: branch, base: 'main' }])
    const tree = await gitIn(offering.root, 'rev-parse', `${tip}^{tree}`)
    const proof = `\`sh check.sh\` gave 0 on tree \`${tree.slice(0, 12)}\``
    const { body } = offering.pulls[0] ?? { body: '' }
    for (const part of [
      `## Asked for\n\n> ${issue.title}\n>\n> ${issue.body}\n\nCloses #1347 (${issue.url})`,
      '<summary>docs/dev_docs/plans/plan_dark_mode_toggle.md</summary>',
      'The toggle is a checkbox.',
      `## Accepted by\n\n- [x] the toggle is there (${proof})`,
      `- deliver: ${proof}, in a clean checkout`,
      '- plan_review, round 1: **APPROVE**',
      '- code_review, round 1: **PASS** (`docs/dev_docs/reviews/code_review_dark_mode_toggle_v1.md`)',
      '- merge_review, round 1: **PASS**',
      '## Known gaps\n\nNone that the run knows of.',
      'calls of agents, cost',
      `Branch \`${branch}\` at commit \`${tip}\`, tree \`${tree}\`.`,
    ])
      expect(body).toContain(part)
    expect(offering.server.violations).toEqual([])
  })

  it('delivers twice in one run, and the second delivery brings the same pull request up to date', async () => {
    const offering = await makePipelineOffering()
    await offering.fromIssue()
    const first = { tip: await offering.at(branch), body: offering.pulls[0]?.body ?? '' }
    expect(await offering.type('undo', '1', '--to', 'plan_review')).toMatchObject({ code: 0 })
    expect(await offering.type('resume', '1')).toMatchObject({ code: 0, stderr: '' })
    const second = await offering.at(branch)
    expect(second).not.toBe(first.tip)
    expect(await gitIn(offering.bare, 'merge-base', '--is-ancestor', first.tip, second)).toBe('')
    expect(offering.pulls).toHaveLength(1)
    expect(offering.pulls[0]?.body).toContain(`at commit \`${second}\``)
    expect(methods(offering)).toEqual(['POST', 'PATCH'])
    expect(offering.server.violations).toEqual([])
  })

  it('leaves the commits of somebody who has pushed to its branch meanwhile, and asks', async () => {
    const offering = await makePipelineOffering()
    await offering.fromIssue()
    const theirs = await colleaguePushes(offering, branch, { 'theirs.txt': 'theirs\n' })
    expect(await offering.type('undo', '1', '--to', 'plan_review')).toMatchObject({ stderr: '' })
    const stopped = await offering.type('resume', '1')
    expect({ ...stopped, stdout: '' }).toEqual({ code: 3, stderr: '', stdout: '' })
    expect(stopped.stdout).toContain('branch_moved')
    expect(await offering.at(branch)).toBe(theirs)
    const worktree = /"worktree":"([^"]+)"/.exec(await offering.journal())?.[1] ?? ''
    await gitIn(worktree, 'fetch', '--quiet', 'origin', branch)
    await gitIn(worktree, 'merge', '--quiet', '--no-edit', 'FETCH_HEAD')
    await offering.type('answer', '1', 'I have merged what was there.')
    expect(await offering.type('resume', '1')).toMatchObject({ code: 0, stderr: '' })
    expect(await gitIn(offering.bare, 'show', `${branch}:theirs.txt`)).toBe('theirs')
    expect(offering.pulls).toHaveLength(1)
  })
})

describe('the pipeline after its delivery', () => {
  it('gives what a reviewer says to the developer, and brings the same pull request up to date', async () => {
    const comments = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments'
    const said = { ...(Object.values(exampleOf('github', comments))[0] as object), body: 'It forgets.' }
    const none = { body: [] }
    const offering = await makePipelineOffering({
      replies: {
        [comments]: { body: [{ ...said, author_association: 'MEMBER' }] },
        'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews': none,
        'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': none,
        'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': { body: { check_runs: [] } },
        'GET /repos/{owner}/{repo}/commits/{ref}/status': { body: { statuses: [] } },
      },
      roles: { developer: [{ ...commits({ 'src/app.txt': 'dark mode of {branch}\n' }), template: true }] },
    })
    await offering.fromIssue()
    const first = await offering.at(branch)
    const ended = await offering.type('watch', '1', '--once')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('DEVELOPER: Implementation complete.')
    expect(await promptOf(offering, 'code')).toContain('  | It forgets.')
    const second = await offering.at(branch)
    expect(await gitIn(offering.bare, 'merge-base', '--is-ancestor', first, second)).toBe('')
    expect(offering.pulls).toMatchObject([{ title: issue.title }])
    const { body } = offering.pulls[0] ?? { body: '' }
    for (const part of [
      `at commit \`${second}\``,
      `Closes #1347 (${issue.url})`,
      '<summary>docs/dev_docs/plans/plan_dark_mode_toggle.md</summary>',
      '- [x] the toggle is there',
      '- plan_review, round 1: **APPROVE**',
      '- code_review, round 1: **PASS**',
    ])
      expect(body).toContain(part)
    expect(offering.server.violations).toEqual([])
  })
})

describe('the pipeline without a network', () => {
  const forge = { labels: ['baton'], reviewers: ['ada'] }

  it('leaves nothing behind where it is lost before the work begins', async () => {
    const offering = await makePipelineOffering({ forge })
    for (let request = 1; request <= 3; request++) {
      offering.server.breakAt = { request: offering.server.sent.length + request, when: 'after', lasts: true }
      const { code } = await offering.fromIssue()
      expect([request, code]).toEqual([request, request === 1 ? 1 : 5])
      expect(await gitIn(offering.root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
      expect(await refsOf(offering)).toEqual(['refs/heads/main'])
    }
  })

  it('goes on by resume wherever it is lost during the delivery, with one pull request and nothing lost', async () => {
    const offering = await makePipelineOffering({ forge })
    const { server } = offering
    const before = 3
    // One run for the whole sweep: each time the network goes at the next request, and is there again for resume.
    server.breakAt = { request: before + 1, when: 'before', lasts: true }
    let ended = await offering.fromIssue()
    const seen: string[] = []
    for (const [count, when] of sweep) {
      expect(ended).toMatchObject({ code: 3 })
      expect(ended.stderr).toContain('The branch is pushed, but there is no pull request')
      expect(await offering.at(branch)).toBe(await gitIn(offering.root, 'rev-parse', branch))
      server.breakAt = { request: server.sent.length + count, when, lasts: true }
      ended = await offering.type('resume', '1')
      seen.push(`${count} ${when}: ${ended.code}`)
    }
    delete server.breakAt
    expect(seen).toEqual(sweep.map(([count, when]) => `${count} ${when}: 3`))
    expect(await offering.type('resume', '1')).toMatchObject({ code: 0, stderr: '' })
    expect(offering.pulls).toMatchObject([{ head: branch }])
    expect(offering.server.violations).toEqual([])
  })
})

describe('the documents of a pipeline that archives after the merge', () => {
  it('go to the archive by a pull request of their own, once (R001-86, C-19)', async () => {
    const offering = await makePipelineOffering()
    await offering.fromIssue('--input', 'archive=after_merge')
    const early = await offering.type('archive', '7')
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining("no run '7'") as unknown })
    const plan = 'plans/plan_dark_mode_toggle.md'
    expect(await filesAt(offering, branch)).toContain(`docs/dev_docs/${plan}`)
    await gitIn(offering.bare, 'update-ref', 'refs/heads/main', await offering.at(branch))
    Object.assign(offering.pulls[0] ?? {}, { merged: true, state: 'closed' })
    const main = await offering.at('main')
    expect(await offering.type('watch', '1')).toMatchObject({ code: 0, stderr: '' })
    expect(offering.pulls.map(({ title }) => title)).toEqual([
      issue.title,
      `Archive the documents of task 1: ${issue.title}`,
    ])
    const files = await filesAt(offering, offering.pulls[1]?.head ?? '')
    expect(files).toContain(`docs/dev_docs/archived/${plan}`)
    expect(files.filter((file) => /dev_docs\/(plans|reviews)/.test(file))).toEqual([])
    expect(await offering.at('main')).toBe(main)
    expect((await offering.type('watch', '1')).stdout).toContain('Pull request #41 is merged.')
    const again = await offering.type('archive', '1')
    expect(again.stdout).toContain('No document of run 1 is left to archive.')
    expect(offering.pulls).toHaveLength(2)
  })
})

/** Requests of a delivery: look, open or bring up to date, labels, reviewers. */
const sweep = [1, 2, 3, 4].flatMap((count) => [[count, 'before'] as const, [count, 'after'] as const])

async function refsOf({ bare }: PipelineOffering): Promise<string[]> {
  return (await gitIn(bare, 'for-each-ref', '--format=%(refname)')).split('\n')
}

function methods({ server }: PipelineOffering): string[] {
  return server.sent.map(({ method }) => method).filter((method) => method !== 'GET')
}

async function promptOf({ root }: PipelineOffering, step: string): Promise<string> {
  return readFile(join(root, `.baton/runs/2/steps/${step}.1/call-1/prompt.md`), 'utf8')
}

async function filesAt({ bare }: PipelineOffering, name: string): Promise<string[]> {
  return (await gitIn(bare, 'ls-tree', '-r', '--name-only', name)).split('\n')
}
