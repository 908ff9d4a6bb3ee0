/**
 * What of git may be used, option by option: a name that is not here is refused, abbreviations included.
 * `--x` takes no value, `--x=` takes one, `--x=?` may have one attached; `-5` stands for any number.
 */
export interface GitCommand {
  /** Looking is for everybody, adding for who may commit, settling while a merge is under way. */
  readonly needs: 'look' | 'commit' | 'merge'
  readonly options: string
  /** How many words may stand beside the options. Any number unless it says so. */
  readonly most?: number
  /** At least one of these must be among the options. */
  readonly oneOf?: readonly string[]
  /** Words beside the options are files that are changed, within the role's scope. */
  readonly changes?: true
  /** It has no option that does harm, so that a pattern of file names may even begin the word. */
  readonly globs?: true
}

const formatting =
  '--format= --pretty=? --oneline --graph --decorate=? --no-decorate --abbrev-commit --no-abbrev-commit --abbrev=? --date= --color=? --no-color --relative-date --show-signature --no-notes'

const comparing =
  '-p -u --patch -s --no-patch -U= --unified= --raw --stat=? --shortstat --numstat --dirstat=? --summary --compact-summary --name-only --name-status --check --color-words=? --word-diff=? --word-diff-regex= -z -M -C -B -D -R -a --text -w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --minimal --patience --histogram --diff-algorithm= --find-renames=? --find-copies=? --no-renames --diff-filter= -S= -G= --pickaxe-all --pickaxe-regex --exit-code --quiet --no-ext-diff --no-textconv --full-index --binary --src-prefix= --dst-prefix= --no-prefix --function-context -W --inter-hunk-context= --relative=? --submodule=? --ignore-submodules=?'

const choosing =
  '-5 -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep -i --regexp-ignore-case -E -F -P --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --all --branches=? --tags=? --remotes=? --not --reverse --topo-order --date-order --author-date-order --follow -L= --left-right --cherry-pick --cherry-mark --cherry --ancestry-path --boundary --simplify-by-decoration --full-history --no-walk --walk-reflogs -g -c --cc -m --merge --source'

const look = (options: string, more: Partial<GitCommand> = {}): GitCommand => ({
  needs: 'look',
  options,
  ...more,
})

const adding = (options: string, more: Partial<GitCommand> = {}): GitCommand => ({
  needs: 'commit',
  options,
  ...more,
})

export const gitCommands: Readonly<Record<string, GitCommand>> = {
  status: look(
    '-s --short -b --branch --porcelain=? --long -v --verbose -u --untracked-files=? --ignored=? --ignore-submodules=? -z --column=? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames=? --show-stash',
  ),
  diff: look(
    `${comparing} --cached --staged --merge-base --ours --theirs --base -1 -2 -3 -0 -c --cc --color=? --no-color`,
  ),
  log: look(`${comparing} ${choosing} ${formatting}`),
  show: look(`${comparing} ${choosing} ${formatting}`),
  shortlog: look(`${choosing} -s --summary -n --numbered -e --email --group=`),
  whatchanged: look(`${comparing} ${choosing} ${formatting}`),
  blame: look(
    '-L= -l -t -s -e -f -n -w -M -C -p --porcelain --line-porcelain --incremental --since= --root --show-stats --show-name --show-number --show-email --date= --reverse --first-parent --abbrev= --ignore-rev=',
  ),
  'ls-files': look(
    '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -t -v -f -z -x= --exclude= --exclude-standard --error-unmatch --full-name --abbrev=? --directory --no-empty-directory --eol --deduplicate',
    { globs: true },
  ),
  'ls-tree': look(
    '-r -d -t -l --long -z --name-only --name-status --full-name --full-tree --abbrev=? --format=',
  ),
  'rev-parse': look(
    '--show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --abbrev-ref=? --short=? --verify -q --quiet --symbolic --symbolic-full-name --all --show-object-format',
  ),
  'rev-list': look(`${choosing} ${formatting} --count --objects --parents --children --no-commit-header`),
  grep: look(
    '-5 -n --line-number -i --ignore-case -w --word-regexp -v --invert-match -l -L --files-with-matches --name-only --files-without-match -c --count -h -H -E -F -G -P --extended-regexp --basic-regexp --fixed-strings --perl-regexp -e= -f= --and --or --not --all-match -q --quiet -A= -B= -C= --context= --after-context= --before-context= -p --show-function -W --function-context --cached --no-index --untracked --exclude-standard --no-exclude-standard --heading --break --color=? --no-color -o --only-matching --column --full-name -z --null -a --text -I -r --recursive --max-depth= --threads= -m= --max-count=',
  ),
  'cat-file': look('-t -s -e -p --batch-check=? --batch-all-objects'),
  'show-ref': look('-q --quiet --head --heads --tags -d --dereference --verify -s --hash=? --abbrev=?'),
  'for-each-ref': look(
    '--format= --sort= --count= --points-at= --merged=? --no-merged=? --contains=? --no-contains=?',
  ),
  'merge-base': look('-a --all --is-ancestor --octopus --independent --fork-point'),
  'name-rev': look('--tags --refs= --name-only --always --no-undefined'),
  'diff-tree': look(`${comparing} ${formatting} -r -t --root --stdin -m -c --cc --no-commit-id`),
  'diff-index': look(`${comparing} --cached --merge-base`),
  'diff-files': look(comparing),
  'range-diff': look(`${comparing} --creation-factor= --left-only --right-only`),
  'check-ignore': look('-q --quiet -v --verbose -z -n --non-matching --no-index'),
  'check-attr': look('-a --all --cached -z'),
  'check-ref-format': look('--allow-onelevel --normalize'),
  describe: look(
    '--all --tags --long --always --dirty=? --abbrev= --exact-match --match= --exclude= --contains --first-parent',
  ),
  'count-objects': look('-v -H'),
  'show-branch': look('-a --all -r --remotes --sha1-name --no-name --current --merge-base --list'),
  'merge-tree': look('--write-tree -z --name-only --messages --no-messages'),
  version: look('--build-options', { most: 0 }),
  branch: look(
    '--show-current --list -l -a --all -r --remotes -v -vv --verbose --no-color --color=? --sort= --format= --contains= --no-contains= --merged=? --no-merged=? --points-at=',
    { most: 0 },
  ),
  tag: look(
    '-l --list -n --sort= --format= --contains= --no-contains= --merged=? --points-at= --column=? -i --ignore-case',
    {
      oneOf: ['-l', '--list'],
    },
  ),
  remote: look('-v --verbose', { most: 0 }),
  worktree: look('--porcelain -z', { most: 1 }),
  reflog: look(`${choosing} ${formatting}`, { most: 0 }),
  config: look(
    '--get --get-all --get-regexp -l --list --show-origin --show-scope --name-only -z --null --type= --bool --int --local --default=',
    {
      oneOf: ['--get', '--get-all', '--get-regexp', '-l', '--list'],
    },
  ),
  'symbolic-ref': look('-q --quiet --short', { most: 1 }),
  add: adding(
    '-A --all --no-ignore-removal -u --update -N --intent-to-add -v --verbose -n --dry-run --renormalize --ignore-errors --refresh --chmod=',
    {
      globs: true,
    },
  ),
  commit: adding(
    '-m= --message= -F= --file= -a --all -q --quiet -v --verbose -s --signoff --allow-empty --no-edit --dry-run --short --porcelain --trailer= -o --only -i --include --status --no-status --cleanup=',
  ),
  mv: adding('-v --verbose -n --dry-run -k', { changes: true }),
  rm: adding('-r -f --force -n --dry-run -q --quiet --cached --ignore-unmatch', { changes: true }),
  checkout: {
    needs: 'merge',
    options: '--ours --theirs -q --quiet',
    oneOf: ['--ours', '--theirs'],
    changes: true,
  },
  restore: {
    needs: 'merge',
    options: '--ours --theirs -q --quiet -W --worktree',
    oneOf: ['--ours', '--theirs'],
    changes: true,
  },
  merge: {
    needs: 'merge',
    options: '--continue --abort',
    oneOf: ['--continue', '--abort'],
    most: 0,
  },
}

/** Before the subcommand. Where git works is not a matter of options. */
export const gitGlobalOptions =
  '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --version'

/** In what words a refusal helps. */
export const gitAdvice: Readonly<Record<string, string>> = {
  checkout: 'an agent stays on its task branch; git show <commit>:<path> prints another version of a file',
  switch: 'an agent stays on its task branch; git log and git show look at others',
  restore: 'it throws work away; edit the file instead, git show HEAD:<path> prints the committed version',
  reset: 'it rewrites what was recorded; undo a change with an edit and a further commit',
  rebase: 'history is only added to; make a further commit',
  revert: 'undo a change with an edit and a further commit',
  'cherry-pick': 'git show <commit> prints a change that you can make yourself',
  merge: 'branches are merged by the engine',
  pull: 'the engine fetches and merges',
  fetch: 'the engine fetches',
  push: 'the engine delivers the branch when it is done',
  clone: 'an agent works in its own worktree only',
  stash: 'work stays in the worktree; commit it instead',
  branch: 'there is one branch, and it was made for you; git branch --show-current names it',
  tag: 'tags are made by people; git tag --list shows them',
  worktree: 'worktrees are made by the engine',
  clean: 'remove files by name',
  config: 'the configuration stays as it is; git config --get reads it',
  remote: 'git remote -v lists remotes; they stay as they are',
  gc: 'the repository is looked after by its owner',
}
