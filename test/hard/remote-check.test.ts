// Whole runs against a forge that protects its base, does not, or will not say.
import { describe, expect, it } from 'vitest'
import { gitIn } from '../support/git.ts'
import { baton } from '../e2e/baton.ts'
import { makeOffering } from '../support/forges/offering.ts'
import type { Offering } from '../support/forges/offering.ts'
import type { Replies } from '../support/forges/forge-server.ts'

const root = '/repos/{owner}/{repo}'
const open: Replies = {
  [`GET ${root}/rules/branches/{branch}`]: { body: [{ type: 'non_fast_forward' }] },
  [`GET ${root}/branches/{branch}/protection`]: { status: 404, body: { message: 'Branch not protected' } },
}
const silent: Replies = { [`GET ${root}`]: { status: 403, headers: { 'retry-after': '60' }, body: {} } }

describe('the remote safety check (R001-21, C-12)', () => {
  it('warns in words and goes on by itself', async () => {
    const offering = await makeOffering({ replies: open })
    const { code, stdout } = await typed(offering, [
      '--deliver',
      'local',
      '--script',
      `${offering.home}/script.json`,
    ])
    expect(stdout).toContain("Warning: the remote's 'main' is not protected: pull requests are not required.")
    expect(code).toBe(0)
  })

  it('refuses a pull request that nobody looks on, and leaves nothing behind', async () => {
    const offering = await makeOffering({ replies: open })
    const { failure } = await offering.start()
    expect(failure).toMatchObject({
      ...{ code: 'remote.unprotected', exitCode: 5 },
      message: "The remote's 'main' is not protected: pull requests are not required.",
    })
    expect(await gitIn(offering.root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    expect(await offering.at('task/1-work')).toBe('')
  })

  it('goes on where somebody has said so', async () => {
    const offering = await makeOffering({ replies: open })
    const { outcome } = await offering.start({ flags: { remote_check: 'warn' } })
    expect(outcome?.state.status).toBe('delivered')
    expect(offering.pulls[0]?.body).toContain("The protection of 'main' is not established.")
  })

  it('refuses also where the forge does not say, and tells when to come back', async () => {
    const offering = await makeOffering({ replies: silent })
    const { failure } = await offering.start()
    expect(failure).toMatchObject({ code: 'remote.unverified', exitCode: 5 })
    expect(failure?.message).toMatch(/answers no more requests until \d{4}-/)
  })

  it('says that it could not verify where there is no token, and goes on even with abort', async () => {
    const offering = await makeOffering()
    const { FORGE_TOKEN: _token, ...env } = offering.env
    const words = [
      '--deliver',
      'local',
      '--remote-check',
      'abort',
      '--script',
      `${offering.home}/script.json`,
    ]
    const { code, stdout } = await typed({ ...offering, env }, words)
    expect(stdout).toContain(
      "Could not verify that the remote's 'main' is protected: there is no token for GitHub",
    )
    expect(code).toBe(0)
    expect(offering.server.sent).toEqual([])
  })

  it('asks nobody with off', async () => {
    const offering = await makeOffering({ replies: open })
    const { outcome } = await offering.start({ flags: { remote_check: 'off', deliver: 'local' } })
    expect(outcome?.state.status).toBe('delivered')
    expect(offering.server.sent).toEqual([])
  })
})

function typed(
  { root: cwd, env, home }: Pick<Offering, 'root' | 'env' | 'home'>,
  words: readonly string[],
): ReturnType<typeof baton> {
  return baton(cwd, ['run', 'Write the work', '--workflow', 'small', ...words], { home, env })
}
