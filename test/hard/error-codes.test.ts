// Every failure code of docs/reference/errors.md can be met by somebody who types something. Those that other tests meet name
// their code there; test/docs.test.ts compares.
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, documentOf, smallProject, startBaton, thenAsk, untilFact, works } from '../e2e/baton.ts'
import type { Surroundings } from '../e2e/baton.ts'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { makeShop } from '../support/worlds.ts'

async function codeOf(cwd: string, words: readonly string[], how?: Surroundings): Promise<string> {
  const ended = await baton(cwd, ['--json', ...words], how)
  expect(ended.code, ended.stdout).not.toBe(0)
  return documentOf(ended).error.code
}

describe.concurrent('before there is a run', () => {
  test.concurrent.each([
    ['completion.shell', ['completion', 'tcsh']],
    ['demo.full', ['demo', '--keep', '.']],
    ['forge.none', ['run', '--issue', '12']],
    ['from.missing', ['run', 'Work', '--from', 'nothing', '--script', '../script.yaml']],
    ['input.form', ['run', 'Work', '--input', 'colour']],
    ['limit.form', ['run', 'Work', '--max-cost', 'lots']],
    ['time.form', ['run', 'Work', '--time-limit', 'soon']],
    ['size.form', ['clean', '--save-up-to', 'lots']],
    ['role.unknown', ['firewall', 'test', 'ls', '--role', 'nobody']],
    ['provider.unknown', ['run', 'Work', '--provider', 'nobody']],
    ['provider.missing', ['run', 'Work', '--provider', 'gemini']],
    ['verb.none', ['challenge']],
    ['verb.unknown', ['challenge', 'no-such-change']],
    ['input.twice', ['change', 'One thing', '--description', 'Another']],
    ['listen.port', ['listen', '--port', 'any']],
    ['listen.secret', ['listen', '--port', '0']],
    ['watch.rounds', ['watch', '1', '--rounds', 'many']],
  ])('%s', async (code, words) => {
    const { root } = await smallProject(works)
    expect(await codeOf(root, words)).toBe(code)
  })

  test.concurrent.each([
    ['task.binary', 'a\0b'],
    ['task.long', 'x'.repeat(2_100_000)],
  ])('%s', async (code, input) => {
    expect(await codeOf(await makeRepository(), ['run', '--task', '-'], { input })).toBe(code)
  })

  test.concurrent.each([
    ['http.url', 'http: { base_url: nonsense, model: m }\n'],
    ['http.remote', 'http: { base_url: "http://models.example.org/v1", model: m }\n'],
    ['settings.foreign', 'forge: { api: "https://elsewhere.example.org" }\n'],
    ['settings.foreign', 'sandbox: off\n'],
  ])('%s', async (code, settings) => {
    const root = await makeRepository({ '.baton/config.yaml': settings, 'workspace/a.txt': 'a\n' })
    expect(await codeOf(root, ['run', '--workflow', 'minimal', 'Work'])).toBe(code)
  })

  test('prompt.empty', async () => {
    const { root, script } = await smallProject(works)
    await writeFiles(root, { '.baton/prompts/worker.md': '' })
    expect(await codeOf(root, ['run', 'Work', '--script', script])).toBe('prompt.empty')
  })

  test('git.missing', async () => {
    const { root, script } = await smallProject(works)
    const words = ['run', 'Work', '--script', script]
    expect(await codeOf(root, words, { env: { PATH: '/nowhere' } })).toBe('git.missing')
  })

  test('provider.auth', async () => {
    const bin = await makeFolder()
    await writeFile(join(bin, 'codex'), '#!/bin/sh\necho 0.166.0\n')
    await chmod(join(bin, 'codex'), 0o755)
    const words = ['run', 'Work', '--provider', 'codex']
    expect(await codeOf(await makeRepository(), words, { env: { PATH: bin } })).toBe('provider.auth')
  })
})

describe.concurrent('with a run that is over', () => {
  test.concurrent.each([
    ['report.form', ['report', '1', '--output', 'report.txt']],
    ['restore.missing', ['restore', '1', '99', '--into', '../new']],
    ['restore.nowhere', ['restore', '1', '1']],
    ['restore.into', ['restore', '1', '1', '--into', '.']],
    ['run.not_waiting', ['approve', '1']],
    ['undo.step', ['undo', '1', '--to', 'nowhere']],
    ['watch.no_request', ['watch', '1']],
  ])('%s', async (code, words) => {
    const { root, script } = await smallProject(works)
    expect((await baton(root, ['run', 'Work', '--script', script])).code).toBe(0)
    expect(await codeOf(root, words)).toBe(code)
  })

  test('archive.unfetched', async () => {
    const { root, script } = await smallProject(works)
    expect((await baton(root, ['run', 'Work', '--script', script])).code).toBe(0)
    await gitIn(root, 'remote', 'add', 'origin', '/nonexistent/remote.git')
    expect(await codeOf(root, ['archive', '1'])).toBe('archive.unfetched')
  })

  test('restore.archive', async () => {
    const { root, script } = await smallProject(works)
    await writeFiles(root, { '.gitignore': 'kept.txt\n' })
    await commitAll(root, 'What is not kept')
    await baton(root, ['run', 'Work', '--script', script])
    const worktree = join(dirname(root), '.worktrees', '1-work')
    await writeFile(join(worktree, 'kept.txt'), 'ignored\n')
    const cleaned = await baton(root, ['clean', '1', '--json'])
    const snapshot = /"snapshot": "?(\d+)/.exec(cleaned.stdout)?.[1] ?? ''
    const kept = join(root, '.baton/runs/1/kept')
    for (const name of await readdir(kept)) await writeFile(join(kept, name), 'no archive')
    expect(await codeOf(root, ['restore', '1', snapshot, '--into', '../back'])).toBe('restore.archive')
  })
})

describe.concurrent('with a run that asks, or works', () => {
  test.concurrent.each([
    ['message.empty', [['reject', '1']]],
    ['message.not_taken', [['answer', '1', 'No']]],
    ['archive.early', [['archive', '1']]],
    [
      'message.unread',
      [
        ['approve', '1'],
        ['approve', '1'],
      ],
    ],
  ])('%s', async (code, lines) => {
    const { root, script } = await smallProject(works, thenAsk)
    expect((await baton(root, ['run', 'Work', '--script', script])).code).toBe(3)
    for (const words of lines.slice(0, -1)) expect((await baton(root, words)).code).toBe(0)
    expect(await codeOf(root, lines.at(-1) ?? [])).toBe(code)
  })

  test('run.running', async () => {
    const { root, script } = await smallProject('roles: { worker: [{ ends: { hang: true } }] }')
    const { ended } = await startBaton(root, ['run', 'Work', '--script', script])
    await untilFact(root, 'agent.started')
    expect(await codeOf(root, ['resume', '1'])).toBe('run.running')
    expect((await baton(root, ['cancel', '1'])).code).toBe(0)
    await ended
  })

  test('worktree.unusable, worktree.dirty', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    expect((await baton(root, ['run', 'Work', '--script', script])).code).toBe(3)
    const worktree = join(dirname(root), '.worktrees', '1-work')
    const hostile = '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'
    await writeFiles(worktree, { '.gitmodules': hostile })
    expect((await baton(root, ['reject', '1', 'Again'])).code).toBe(0)
    expect(await codeOf(root, ['resume', '1'])).toBe('worktree.unusable')

    await rm(join(worktree, '.gitmodules'))
    const elsewhere = join(dirname(root), 'elsewhere')
    await gitIn(root, 'worktree', 'add', '--quiet', '--detach', elsewhere, 'task/1-work')
    await writeFiles(elsewhere, { 'work.txt': 'theirs\n' })
    await gitIn(elsewhere, 'commit', '--quiet', '--all', '--message', 'Theirs')
    await gitIn(root, 'update-ref', 'refs/heads/task/1-work', await gitIn(elsewhere, 'rev-parse', 'HEAD'))
    await writeFiles(worktree, { 'work.txt': 'mine\n' })
    expect(await codeOf(root, ['resume', '1'])).toBe('worktree.dirty')
  })

  test('verb.early, verb.begun, verb.other, verb.several', async () => {
    const { home, project } = await makeShop()
    const code = (...words: string[]): Promise<string> => codeOf(project, words, { home })
    const propose = (...words: string[]) => baton(project, ['proposal', ...words], { home })
    expect((await propose('one', 'The first')).code).toBe(0)
    expect(await code('implement', 'one')).toBe('verb.early')
    expect(await code('challenge', 'one', '--base', 'main')).toBe('verb.begun')
    expect(await code('challenge', 'one', '--max-cost', 'much')).toBe('limit.form')
    expect(await code('proposal', 'one', 'Something else')).toBe('verb.other')
    expect((await propose('two', 'The second')).code).toBe(0)
    expect(await code('challenge')).toBe('verb.several')
  })
})
