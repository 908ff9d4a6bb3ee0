// A repository that would run code: everything that git can be told to start, planted by an agent for whoever comes next.
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, makeFolder, makeRepository } from '../support/git.ts'
import { runHard, shell } from '../support/hard.ts'

/** Settings that name a program. */
const programs = [
  ...['core.fsmonitor', 'core.pager', 'core.editor', 'core.sshCommand', 'core.askPass', 'sequence.editor'],
  ...['core.alternateRefsCommand', 'gpg.program', 'gpg.ssh.program', 'diff.external', 'diff.x.command'],
  ...['diff.x.textconv', 'merge.x.driver', 'filter.x.clean', 'filter.x.smudge', 'credential.helper'],
  ...['uploadpack.packObjectsHook', 'submodule.n.update', 'alias.status', 'pager.log', 'pager.diff'],
  ...['interactive.diffFilter', 'remote.origin.uploadpack', 'trailer.x.command', 'receive.procReceiveRefs'],
]

const hooks =
  'post-index-change pre-commit prepare-commit-msg commit-msg post-commit reference-transaction post-checkout post-merge pre-merge-commit fsmonitor-watchman post-rewrite'

/** In the private git directory, in the worktree and in a nested repository; shown to go off before the engine comes. */
function planting(trap: string, ran: string): string {
  const set = programs.map((key) => `git config ${key} '${/alias|update/.test(key) ? '!' : ''}${trap}'`)
  const flags = ['commit.gpgSign true', 'core.hooksPath hooks', 'filter.x.required false']
  return [
    'git add -A && git commit -q -m work',
    'top=$PWD',
    `plant() { ${[...set, ...flags.map((flag) => `git config ${flag}`)].join('; ')}; }`,
    // A folder of hooks beside the files, since the configured path is looked for there.
    `mkdir hooks && for hook in ${hooks}; do cp ${trap} hooks/$hook; done`,
    `for hook in ${hooks}; do cp ${trap} "$(git rev-parse --git-path hooks)/$hook"; done; true`,
    "echo '* filter=x diff=x merge=x' >.gitattributes",
    'mkdir nested && cd nested && git init -q . && echo x >f && git add f && git -c user.name=a -c user.email=a@b commit -qm x',
    `plant && echo '* filter=x' >.gitattributes && echo y >f && cd "$top" && plant`,
    'echo changed >>README.md',
    `git diff >/dev/null 2>&1; git add README.md 2>/dev/null; test -s ${ran} && rm ${ran}`,
  ].join('\n')
}

describe.concurrent('a repository that would run code', () => {
  test.each([
    { workflow: 'work', base: 'release', end: 'delivered' },
    { workflow: 'coder', base: 'release', end: 'delivered' },
    { workflow: 'merge', base: 'main', end: 'failed conflicts in README.md' },
    { workflow: 'scoped', base: 'release', end: 'failed changed what it may not change' },
  ] as const)(
    "R001-83: runs nothing in the engine's own git, in the workflow $workflow",
    async ({ workflow, base, end: expected }) => {
      const root = await makeRepository()
      await gitIn(root, 'branch', 'release')
      const folder = await makeFolder()
      const trap = join(folder, 'trap')
      const ran = join(folder, 'ran')
      await writeFile(trap, `#!/bin/sh\necho "$0 $*" >>${ran}\ncat </dev/null\n`)
      await chmod(trap, 0o755)
      const theirs = `cd '${root}' && echo theirs >README.md && git add README.md && git commit -qm theirs`
      const runs = [shell(`(${theirs})`), shell(planting(trap, ran))]
      const does = [{ writes: { 'work.txt': 'done\n' }, runs }]
      const end = await runHard({ at: root, workflow, base, does })
      expect(`${end.status} ${end.reason}`).toContain(expected)
      await expect(readFile(ran, 'utf8')).rejects.toThrow('ENOENT')
    },
  )
})
