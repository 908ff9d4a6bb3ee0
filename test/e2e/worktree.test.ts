// The worktree of a task is made fit for work: files copied and linked, a port, set-up commands.
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, writeFiles } from '../support/git.ts'
import { baton, documentOf, journalOf, noTraces, refusalOf, smallProject, tracesIn, works } from './baton.ts'

const looksAround = `roles:
  worker:
    - runs:
        - { argv: [sh, -c, "cat .env node_modules/dep/index.js ../../from-setup; echo $PORT $API_PORT"], must: true }
        - { argv: [sh, -c, "cat .env node_modules/dep/index.js > ../../seen; echo $PORT $API_PORT > ../../ports"] }
      writes: { work.txt: "done\\n" }
      answer: { status: success }
`

function settings(worktree: string): string {
  return `workflow: small
provider: scripted
checks: { ready: { command: [sh, -c, "echo $PORT $API_PORT > ../../checked && test -f .env"] } }
worktree: ${worktree}
`
}

const checked = '  - { id: check, check: ready }\n  - { id: deliver, do: deliver }\n'

describe.concurrent('worktree in the settings', () => {
  test('copies files, links folders, runs set-up commands and gives ports that agents and checks see', async () => {
    const { root, script } = await smallProject(looksAround, checked)
    const outside = dirname(root)
    await writeFiles(root, {
      '.baton/config.yaml': settings(
        '{ copy: [.env, missing.txt], link: [node_modules/], ports: [PORT, API_PORT], setup: [[sh, -c, "cat .env > ../../from-setup"], [sh, -c, "echo $PORT >> ../../from-setup"]] }',
      ),
    })
    await commitAll(root, 'settings')
    await writeFiles(root, { '.env': 'COLOUR=blue\n', 'node_modules/dep/index.js': 'export {}\n' })
    const ended = await baton(root, ['run', 'Write the work', '--script', script, '--json'])
    const { worktree } = documentOf(ended)
    expect(documentOf(ended)).toMatchObject({ outcome: 'delivered' })

    expect(await readFile(join(outside, 'seen'), 'utf8')).toBe('COLOUR=blue\nexport {}\n')
    const ports = await readFile(join(outside, 'ports'), 'utf8')
    expect(ports).toMatch(/^\d{4,5} \d{4,5}\n$/)
    expect(await readFile(join(outside, 'checked'), 'utf8')).toBe(ports)
    expect(await readFile(join(outside, 'from-setup'), 'utf8')).toBe(`COLOUR=blue\n${ports.split(' ')[0]}\n`)
    const prepared = (await journalOf(root)).find(({ type }) => type === 'worktree.prepared')
    expect(prepared?.data).toMatchObject({ copied: ['.env'], linked: ['node_modules'] })

    expect(await gitIn(root, 'diff', '--name-only', 'main', 'task/1-work')).toBe('work.txt')
    expect(await gitIn(worktree, 'status', '--porcelain', '--untracked-files=no')).toBe('')
  })

  test('what a set-up command leaves behind is there for all steps and never committed', async () => {
    const { root, script } = await smallProject(`roles:
  worker: [{ answer: {} }]
  builder: [{ expects_file: [build/out.txt], writes: { work.txt: "done\\n" }, answer: {} }]
`)
    await writeFiles(root, {
      '.env': 'COLOUR=blue\n',
      '.baton/config.yaml': settings(
        '{ setup: [[sh, -c, "mkdir -p build && echo built > build/out.txt && echo more >> README.md"]] }',
      ),
      '.baton/workflows/small.yaml': `name: small
inputs: { task: { required: true } }
roles:
  worker: { prompt: worker.md, capabilities: [read] }
  builder: { prompt: worker.md, capabilities: [edit], may_write: ["**"] }
steps:
  - { id: look, agent: worker }
  - { id: check, check: ready }
  - { id: work, agent: builder }
  - { id: deliver, do: deliver }
`,
    })
    await commitAll(root, 'settings')
    const ended = await baton(root, ['run', 'Write the work', '--script', script, '--json'])
    expect(documentOf(ended)).toMatchObject({ outcome: 'delivered' })
    expect(await gitIn(root, 'diff', '--name-only', 'main', 'task/1-work')).toBe('work.txt')
  })

  test('a set-up command that fails stops the run with its words and the file to read; nothing was paid for', async () => {
    const { root, script } = await smallProject(looksAround)
    await writeFiles(root, {
      '.baton/config.yaml': settings('{ setup: [[sh, -c, "echo trying; echo no network >&2; exit 9"]] }'),
    })
    const ended = await baton(root, ['run', 'Write the work', '--script', script])
    expect(ended.code).toBe(1)
    const log = join(root, '.baton/runs/1/setup/1.log')
    const [error = '', next = ''] = ended.stderr.split('\n')
    expect(error).toMatch(
      /^error: The set-up command 'sh -c .*' failed in the worktree: exit code 9, no network$/,
    )
    expect(next).toMatch(/^next: Put it right, then: baton resume 1 /)
    expect(next).toContain(log)
    expect(await readFile(log, 'utf8')).toBe('trying\n')
    expect((await journalOf(root)).some(({ type }) => type === 'agent.started')).toBe(false)
    expect((await baton(root, ['show'])).stdout).toMatch(
      /status {5}stopped: The set-up command .*\n[\s\S]*Next: baton resume 1\n$/,
    )
  })

  test('a set-up command that is missing is named', async () => {
    const { root, script } = await smallProject(looksAround)
    await writeFiles(root, { '.baton/config.yaml': settings('{ setup: [[pnmp, install]] }') })
    const ended = await baton(root, ['run', 'Write the work', '--script', script])
    expect(ended.stderr).toMatch(
      /^error: The set-up command 'pnmp install' failed in the worktree: Command 'pnmp' not found\nnext: .+\n$/,
    )
  })

  test.each(['../secret', '/etc/passwd', '.'])(
    '%s leads out of the repository: refused (worktree.path), nothing is left',
    async (path) => {
      const { root, script } = await smallProject(looksAround)
      await mkdir(join(root, '..', 'secret'))
      await writeFiles(root, { '.baton/config.yaml': settings(`{ copy: ["${path}"] }`) })
      await commitAll(root, 'settings')
      const { error } = refusalOf(await baton(root, ['run', 'Write the work', '--script', script]))
      expect(error).toBe(`'${path}' under worktree in the settings leads out of the repository.`)
      expect(await tracesIn(root)).toEqual(noTraces)
    },
  )

  test.each(['{ copy: [keys/id] }', '{ copy: [keys] }', '{ link: [keys] }', '{ link: [sub/../keys/id] }'])(
    'a link that is part of the repository leads nobody out of it: %s is refused (worktree.path)',
    async (given) => {
      const { root, script } = await smallProject(works)
      await writeFiles(root, { '../outside/id': 'secret\n', '.baton/config.yaml': settings(given) })
      await symlink('../outside', join(root, 'keys'))
      await commitAll(root, 'a link')
      // The task begins before it, so that the worktree has room for what is behind the link.
      const words = ['run', 'Write the work', '--script', script, '--from', 'HEAD~1']
      const { error } = refusalOf(await baton(root, words))
      expect(error).toMatch(/leads out of the repository, by the link 'keys' that is part of it\.$/)
      expect(await tracesIn(root)).toEqual(noTraces)
    },
  )

  test("a link of the user's own may lead anywhere", async () => {
    const { root, script } = await smallProject(works)
    await writeFiles(root, {
      '../outside/id': 'mine\n',
      '.baton/config.yaml': settings('{ copy: [keys/id] }'),
    })
    await symlink('../outside', join(root, 'keys'))
    const { worktree } = documentOf(
      await baton(root, ['run', 'Write the work', '--script', script, '--json']),
    )
    expect(await readFile(join(worktree, 'keys/id'), 'utf8')).toBe('mine\n')
  })
})
