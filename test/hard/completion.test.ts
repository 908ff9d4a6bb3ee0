// Completion in the shells themselves: bash, zsh and fish, each asked as if Tab were pressed.
import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { codeCache, baton, program } from '../e2e/baton.ts'
import { makeFolder, makeRepository } from '../support/git.ts'
import { makeShop } from '../support/worlds.ts'

const run = promisify(execFile)

/** How each shell is asked what it would offer for a line, as a script of its own. */
const askings: Readonly<Record<string, (line: string) => readonly string[]>> = {
  bash: (line) => [
    '-c',
    `source <(baton completion bash); COMP_WORDS=(${line} ''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _baton; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // _describe is what zsh would show; here it prints instead.
  zsh: (line) => [
    '-c',
    `compdef() { :; }; _describe() { print -l \${(P)2%%:*}; }; eval "$(baton completion zsh)"; words=(${line} ''); CURRENT=$#words; _baton`,
  ],
  fish: (line) => ['-c', `baton completion fish | source; complete -C '${line} ' | string split -f1 \\t`],
}

let bin = ''
let repository = ''

beforeAll(async () => {
  bin = await makeFolder()
  const file = join(bin, 'baton')
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  await chmod(file, 0o755)
  repository = await makeRepository({ 'README.md': 'hello\n' })
})

async function offered(shell: string, line: string): Promise<string[]> {
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: bin,
    XDG_CACHE_HOME: codeCache,
    LANG: 'C.UTF-8',
  }
  const { stdout } = await run(shell, askings[shell]?.(line) ?? [], { cwd: repository, env })
  return stdout.split('\n').filter((word) => word !== '')
}

describe.each(Object.keys(askings))('%s', (shell) => {
  test('offers the commands', async () => {
    const words = await offered(shell, 'baton')
    expect(words).toEqual(expect.arrayContaining(['run', 'resume', 'show', 'workflow', 'bugfix']))
    expect(words).not.toContain('complete')
  })

  test('offers the workflows that there are', async () => {
    expect(await offered(shell, 'baton workflow graph')).toContain('pipeline')
  })
})

test('a verb that goes on with a change is offered the changes that are under way', async () => {
  const { home, project } = await makeShop()
  const begun = await baton(project, ['proposal', 'round-total', 'Round the total'], { home })
  expect(begun).toMatchObject({ code: 0 })
  const { stdout } = await baton(project, ['complete', '--', 'challenge', 'ro'], { home })
  expect(stdout).toBe('round-total\trun 1: Round the total\n')
})

test('--provider is offered the tools of the settings too; settings that cannot be read are no reason to offer nothing', async () => {
  const root = await makeRepository({ '.baton/config.yaml': 'providers: { own: { command: [own] } }\n' })
  const offers = async (): Promise<string> =>
    (await baton(root, ['complete', '--', 'run', '--provider', ''])).stdout
  expect((await offers()).split('\n')).toEqual(expect.arrayContaining(['own', 'scripted']))
  await writeFile(join(root, '.baton/config.yaml'), 'providers: [\n')
  expect((await offers()).split('\n')).toContain('scripted')
})

test('an unknown shell is refused with those that are known', async () => {
  const { code, stderr } = await baton(repository, ['completion', 'tcsh'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "error: There is no completion for 'tcsh', only for bash, zsh, fish.\nnext: baton completion bash\n",
  })
})

test('outside a repository there is nothing to offer, and no complaint', async () => {
  const ended = await baton(await makeFolder(), ['complete', '--', 'show', ''])
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
})
