import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'

const warnings: Readonly<Record<string, string>> = {
  no_tests:
    'No test command found (package.json, Cargo.toml, go.mod, pytest, Makefile, or checks.tests in .baton/config.yaml). Steps that must pass the tests will not pass without one.',
  lfs: 'Files in Git LFS are pointers in the worktree: agents and tests see no content of theirs. What is written to such a path is committed as it is.',
  no_identity:
    'Git does not know who you are: commits that would be yours are made as Baton. Before the next run: git config --global user.name "<your name>" && git config --global user.email "<your address>"',
  left_out:
    'The branch begins at {from}. Not part of it: {what} of your checkout, and what is not committed.',
  notification_failed: "A notification could not be delivered: '{target}' {why}.",
  base_not_fetched:
    "The remote's newest state of the base could not be fetched. What is known here is merged instead.",
  index_held:
    "Git's index of {worktree} is locked ({lock}) and is older than the branch: a commit there would take work back. Once no git command runs there: {then}",
  message_aside:
    "A '{verb}' came for another question than this one. It was put aside in the inbox and not used.",
}

export function warningWords(data: JournalLine['data']): string | undefined {
  const commits = Number(data['commits'])
  const what = `${commits} ${commits === 1 ? 'commit' : 'commits'}`
  return warnings[textOf(data['about'])]?.replaceAll(
    /\{(verb|target|why|from|what|worktree|lock|then)\}/g,
    (_, name: string) => (name === 'what' ? what : textOf(data[name])),
  )
}
