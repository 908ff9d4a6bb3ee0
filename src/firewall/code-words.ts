/** Looks into code and texts of other languages, as far as a few words tell. The walls do the rest. */

const subcommands =
  'add am annotate apply archive bisect blame branch bundle cat-file checkout cherry-pick clean clone commit commit-tree config describe diff fast-import fetch filter-branch for-each-ref format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree maintenance merge mktree mv notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace reset restore rev-list rev-parse revert rm send-pack shortlog show sparse-checkout stash status submodule subtree switch symbolic-ref tag update-index update-ref upload-pack worktree write-tree'

const gitCall = new RegExp(
  String.raw`(^|[^\w.-])git['"\x60]?[\s,]+['"\x60]?(-|(${subcommands.replaceAll(' ', '|')})\b)`,
  'i',
)

/** Whether a text has a git command in it: `git push`, `["git", "push"]`. */
export function mentionsGit(text: string): boolean {
  return gitCall.test(text)
}

/** Whether one word, handed to a program that may run it, is git itself. */
export function isGit(word: string): boolean {
  return /^(\/.*\/|\.\/)?git(-[a-z-]+)?$/.test(word)
}

const startsProcesses =
  /\b(system|popen\w*|spawn\w*|subprocess|child_process|fork|qx|open3|pty|shell_exec|passthru|proc_open|Kernel|os\.exec\w*|Deno\.Command|execve|execFile\w*|execSync|pexpect|GitPython)\b|(?<![.\w])exec\w*\s*\(|\b(from|import)\s+git\b|require\s*\(\s*['"]simple-git/

const backticks = /`/

export function startsProcess(code: string, program: string): boolean {
  return startsProcesses.test(code) || (/^(perl|ruby|php)/.test(program) && backticks.test(code))
}
