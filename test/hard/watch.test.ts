// After the delivery: what people and checks say about a pull request comes back as work.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { baton, startBaton } from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { exampleOf } from '../support/forges/forge-server.ts'
import type { Replies } from '../support/forges/forge-server.ts'
import { makeOffering } from '../support/forges/offering.ts'
import type { Offering } from '../support/forges/offering.ts'
import { gitIn } from '../support/git.ts'

const root = '/repos/{owner}/{repo}'
const lines = `GET ${root}/pulls/{pull_number}/comments`
const runs = `GET ${root}/commits/{ref}/check-runs`

describe('baton watch', () => {
  it('brings failed checks and comments back to who can mend them, once, and ends with the merge', async () => {
    const offering = await delivered()
    const first = await offering.at('task/1-work')
    say(offering, { comments: ['Mind the gap. \u001B[31m'], red: first })
    const round = await watch(offering, '--once')
    expect(round).toMatchObject({ code: 0, stderr: '' })
    expect(round.stdout).toContain('Pull request #41: 2 things to do. A round of rework begins.')
    const prompt = await promptOf(offering, '2')
    expect(prompt).toContain("What 'pull request #41' said about the last one:")
    expect(prompt).toContain('Comment of octocat on file1.txt:2:\n  | Mind the gap.')
    expect(prompt).toContain("The check 'unit' failed")
    const second = await offering.at('task/1-work')
    expect(await gitIn(offering.bare, 'merge-base', '--is-ancestor', first, second)).toBe('')
    expect(second).not.toBe(first)
    expect(offering.pulls).toMatchObject([{ number: 41, body: expect.stringContaining(second) as unknown }])
    const quiet = await watch(offering, '--once')
    expect(quiet.stdout).toContain('#41 is open: its checks have passed, and nothing new was said.')
    Object.assign(offering.pulls[0] ?? {}, { merged: true, state: 'closed' })
    expect(await watch(offering)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Pull request #41 is merged.') as unknown,
    })
    expect(await runsIn(offering)).toEqual(['1', '2'])
    expect(offering.server.violations).toEqual([])
  })

  it('stops after so many rounds, and leaves the rest to a person', async () => {
    const offering = await delivered()
    say(offering, { comments: ['One.'] })
    await watch(offering, '--once', '--rounds', '1')
    say(offering, { comments: ['One.', 'Two.'] })
    const spent = await watch(offering, '--once', '--rounds', '1')
    expect(spent.code).toBe(3)
    expect(spent.stdout).toContain('#41 is open: 1 new comment, after 1 rounds of rework.')
    expect(await runsIn(offering)).toEqual(['1', '2'])
  })

  it('waits where the forge does not answer, and goes on when it does', async () => {
    const offering = await delivered()
    say(offering, {})
    offering.server.breakAt = { request: offering.server.sent.length + 1, when: 'before', lasts: true }
    const watching = await startBaton(offering.root, ['watch', '1', '--every', '100ms'], offering)
    await watching.printed('does not answer')
    delete offering.server.breakAt
    await watching.printed('its checks have passed')
    const second = await startBaton(offering.root, ['watch', '1', '--every', '1h'], offering)
    await second.printed('its checks have passed')
    second.child.kill('SIGINT')
    expect((await second.ended).code).toBe(130)
    Object.assign(offering.pulls[0] ?? {}, { state: 'closed' })
    expect(await watching.ended).toMatchObject({ code: 1, stderr: '' })
  })

  it('is refused for a run without a pull request, for one that is not there, and for a number that is none', async () => {
    const offering = await makeOffering()
    await offering.start({ flags: { deliver: 'local' } })
    expect((await watch(offering)).stderr).toContain(
      'Run 1 is delivered, and has no pull request at a forge.',
    )
    expect((await watch(offering, '--rounds', 'many')).stderr).toContain('--rounds takes a whole number')
    expect((await baton(offering.root, ['watch', '7'], offering)).stderr).toContain("There is no run '7'")
  })
})

async function delivered(): Promise<Offering> {
  const more = { runs: [['sh', '-c', 'echo more >> work.txt']], answer: { done: true } }
  const offering = await makeOffering({ script: { roles: { worker: [more] } } })
  expect((await offering.start()).outcome?.state.status).toBe('delivered')
  return offering
}

/** What has been said about the pull request by now, and the commit whose check has failed. */
function say({ server }: Offering, said: { comments?: readonly string[]; red?: string }): void {
  const example = Object.values(exampleOf('github', lines))[0] as object
  const more: Replies = {
    [lines]: {
      body: (said.comments ?? []).map((body, index) => ({
        ...{ ...example, id: index + 1, body, author_association: 'MEMBER' },
      })),
    },
    [`GET ${root}/pulls/{pull_number}/reviews`]: { body: [] },
    [`GET ${root}/issues/{issue_number}/comments`]: { body: [] },
    [`GET ${root}/commits/{ref}/status`]: { body: { statuses: [] } },
    [runs]: (_, { ref }) => {
      const conclusion = ref === said.red ? 'failure' : 'success'
      return { body: { check_runs: [{ id: 4, name: 'unit', status: 'completed', conclusion }] } }
    },
  }
  server.replies = { ...server.replies, ...more }
}

function watch(offering: Offering, ...words: readonly string[]): Promise<Ended> {
  return baton(offering.root, ['watch', '1', ...words], offering)
}

async function promptOf(offering: Offering, run: string): Promise<string> {
  return readFile(join(offering.root, `.baton/runs/${run}/steps/work.1/call-1/prompt.md`), 'utf8')
}

async function runsIn(offering: Offering): Promise<string[]> {
  const { stdout } = await baton(offering.root, ['runs', '--json'], offering)
  return (JSON.parse(stdout) as { run: string }[]).map(({ run }) => run).toSorted()
}
