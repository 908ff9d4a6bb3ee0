// A project with a real bare remote and a forge on 127.0.0.1 that remembers its pull requests.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resumeRun } from '../../../src/cli/resume-run.ts'
import { startRun } from '../../../src/cli/start-run.ts'
import type { RunRequest } from '../../../src/cli/plan-run.ts'
import type { RunOutcome } from '../../../src/cli/open-session.ts'
import type { Surroundings } from '../../../src/cli/workbench.ts'
import { FailureError } from '../../../src/model/failure.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../git.ts'
import type { Files } from '../git.ts'
import { exampleOf, startForge } from './forge-server.ts'
import type { ForgeServer, Replies } from './forge-server.ts'

export interface Offering {
  readonly root: string
  /** The bare repository that the project calls origin. */
  readonly bare: string
  readonly home: string
  readonly server: ForgeServer
  readonly pulls: readonly Pull[]
  readonly env: Readonly<Record<string, string>>
  start(request?: Partial<RunRequest>): Promise<Ended>
  resume(): Promise<Ended>
  /** Where a branch of the remote is; empty where there is none. */
  at(branch: string): Promise<string>
}

/** How a run ended, or why it stopped. */
export interface Ended {
  readonly outcome?: RunOutcome
  readonly failure?: FailureError
}

interface Pull {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly head: string
  readonly base: string
  /** Set by a test: somebody has merged or closed it. */
  merged?: boolean
  state?: 'open' | 'closed'
}

const root = '/repos/{owner}/{repo}'
const small = `name: small
inputs: { task: { required: true }, deliver: { options: [local, pr, none], default: local } }
modes: { all: work, rework: work }
defaults: { retry: { max_attempts: 1 }, on: { failed: ask, blocked: ask } }
roles:
  worker: { prompt: worker.md, capabilities: [read, edit], may_write: ["**"], repair: 0 }
steps:
  - { id: work, agent: worker }
  - { id: merge, do: merge-base }
  - { id: deliver, do: deliver, on: { moved: { to: merge, limit: 2, then: ask } } }
`

/** The worker writes a file with the name of its round. */
const script = {
  roles: { worker: [{ template: true, writes: { 'work-{n}.txt': 'done\n' }, answer: { done: true } }] },
}

export async function makeOffering(
  more: {
    readonly files?: Files
    readonly replies?: Replies
    readonly script?: object
    /** Further settings of the forge. */
    readonly forge?: object
  } = {},
): Promise<Offering> {
  const project = await makeRepository({ 'README.md': 'hello\n', ...more.files })
  const bare = join(await makeFolder(), 'remote.git')
  await gitIn(project, 'clone', '--quiet', '--bare', project, bare)
  await gitIn(project, 'remote', 'add', 'origin', bare)
  const pulls: Pull[] = []
  const at = (branch: string) =>
    gitIn(bare, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => '')
  const server = await startForge('github', { ...statefulReplies(pulls, at), ...more.replies })
  const home = await furnish(server.url, more.forge ?? {})
  const scriptFile = join(home, 'script.json')
  await writeFile(scriptFile, JSON.stringify(more.script ?? script))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, FORGE_TOKEN: 'token-of-the-test' }
  const surroundings = (): Surroundings => ({
    ...{ cwd: project, env, clock: systemClock, interrupt: new AbortController().signal },
    onLine: () => undefined,
  })
  return {
    ...{ root: project, bare, home, server, pulls, env },
    start: (request) =>
      ending(
        startRun(surroundings(), {
          ...{ task: 'Write the work', inputs: {}, script: scriptFile },
          ...request,
          flags: { workflow: 'small', provider: 'scripted', deliver: 'pr', ...request?.flags },
        }),
      ),
    resume: () => ending(resumeRun(surroundings(), {})),
    at,
  }
}

async function ending(run: Promise<RunOutcome>): Promise<Ended> {
  try {
    return { outcome: await run }
  } catch (error) {
    if (error instanceof FailureError) return { failure: error }
    throw error
  }
}

async function furnish(api: string, more: object): Promise<string> {
  const home = await makeFolder()
  const forge = { kind: 'github', api, repository: 'octo/till', token_env: 'FORGE_TOKEN', ...more }
  await writeFiles(join(home, '.config', 'baton'), {
    'config.yaml': `provider: scripted\nforge: ${JSON.stringify(forge)}\n`,
    'prompts/worker.md': 'Do what the task says.\n',
    'workflows/small.yaml': small,
  })
  return home
}

function statefulReplies(pulls: Pull[], at: Offering['at']): Replies {
  const shown = (pull: Pull) => ({
    ...exampleOf('github', `GET ${root}/pulls/{pull_number}`),
    ...{
      number: pull.number,
      title: pull.title,
      body: pull.body,
      html_url: `https://forge.test/pull/${pull.number}`,
    },
  })
  return {
    [`GET ${root}/rules/branches/{branch}`]: {
      body: [{ type: 'pull_request' }, { type: 'non_fast_forward' }],
    },
    [`GET ${root}/pulls`]: ({ path }) => {
      const head = new URLSearchParams(path.split('?')[1]).get('head')
      return { body: pulls.filter((pull) => `octo:${pull.head}` === head).map(shown) }
    },
    [`GET ${root}/pulls/{pull_number}`]: async (_, values) => {
      const pull = pulls.find(({ number }) => String(number) === values['pull_number'])
      // The published example, where a test asks for one that nobody has opened.
      if (!pull) return { body: exampleOf('github', `GET ${root}/pulls/{pull_number}`) }
      const { merged = false, state = 'open' } = pull
      const head = { ref: pull.head, sha: await at(pull.head), repo: { full_name: 'octo/till' } }
      return { body: { ...shown(pull), merged, state, head, base: { ref: pull.base } } }
    },
    [`POST ${root}/pulls`]: ({ body }) => {
      const pull = { ...(body as Omit<Pull, 'number'>), number: 41 + pulls.length }
      pulls.push(pull)
      return { status: 201, body: shown(pull) }
    },
    [`PATCH ${root}/pulls/{pull_number}`]: ({ body }, values) => {
      const index = pulls.findIndex(({ number }) => String(number) === values['pull_number'])
      const pull = { ...pulls[index], ...(body as object) } as Pull
      pulls[index] = pull
      return { body: shown(pull) }
    },
  }
}
