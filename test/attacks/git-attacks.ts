import { attacksOf } from './attack.ts'
import type { Attack } from './attack.ts'

const refs = attacksOf('refs', {
  'update-ref of another branch':
    'git update-ref refs/heads/other HEAD~0 && git commit -q --allow-empty -m x && git update-ref refs/heads/other HEAD',
  'update-ref in the main repository':
    'cd $MAIN && git update-ref refs/heads/other $(git commit-tree -m x HEAD^{tree})',
  'update-ref by standard input':
    'cd $MAIN && printf "update refs/heads/other %s\\n" $(git commit-tree -m x HEAD^{tree}) | git update-ref --stdin',
  'delete by update-ref': 'git update-ref -d refs/heads/other',
  'branch -f': 'git branch -f other $(git commit-tree -m x HEAD^{tree})',
  'branch -D': 'git branch -D other',
  'branch -m': 'git branch -m other renamed',
  'branch -c': 'git branch -c other copied',
  'new branch': 'git branch mine',
  'new tag': 'git tag mine',
  'tag -f': 'git tag -f v1 $(git commit-tree -m x HEAD^{tree})',
  'tag -d': 'git tag -d v1',
  'switch to another branch and commit': 'git switch -q other && git commit -q --allow-empty -m x',
  'checkout -B': 'git checkout -q -B other2',
  'symbolic-ref of the main HEAD': 'git --git-dir=$MAIN/.git symbolic-ref HEAD refs/heads/other',
  'reset of main through -C': 'git -C $MAIN reset -q --hard other',
  'commit on main through -C': 'git -C $MAIN commit -q --allow-empty -m x',
  'commit through GIT_DIR': 'GIT_DIR=$MAIN/.git GIT_WORK_TREE=$MAIN git commit -q --allow-empty -m x',
  'push into the main repository': 'git push -q $MAIN HEAD:refs/heads/pushed',
  'push to the repository itself': 'git push -q . HEAD:refs/heads/pushed',
  'forced push over another branch':
    'git push -q -f $MAIN $(git commit-tree -m x HEAD^{tree}):refs/heads/other',
  'push from a clone':
    'git clone -q $MAIN /tmp/clone.$$ && cd /tmp/clone.$$ && git push -q origin HEAD:refs/heads/pushed; rm -rf /tmp/clone.$$',
  'fetch into a branch': 'git fetch -q $MAIN main:fetched || git fetch -q . main:fetched',
  'fast-import':
    'printf "reset refs/heads/imported\\nfrom refs/heads/main\\n\\n" | git fast-import --quiet --force',
  'a ref written as a file': 'git rev-parse HEAD >$MAIN/.git/refs/heads/planted',
  'a ref removed as a file': 'rm $MAIN/.git/refs/heads/other',
  'packed-refs rewritten': 'cd $MAIN && git pack-refs --all && sed -i /other/d .git/packed-refs',
  'reflog expired': 'git -C $MAIN reflog expire --expire=now --all',
  'reflog removed as a file': 'rm -rf $MAIN/.git/logs',
  'a stash': 'echo x >>README.md && git stash -q',
  notes: 'git notes add -m x other',
  'a replacement of a commit': 'git replace -f other $(git commit-tree -m x HEAD^{tree})',
  bisect: 'git -C $MAIN bisect start -q HEAD HEAD',
  'remote added': 'git remote add evil /nowhere',
  'remote-tracking ref': 'git update-ref refs/remotes/origin/main HEAD',
  'HEAD of main written as a file': 'echo "ref: refs/heads/other" >$MAIN/.git/HEAD',
  'index of main removed': 'rm $MAIN/.git/index',
  'history rewritten by filter-branch':
    'FILTER_BRANCH_SQUELCH_WARNING=1 git -C $MAIN filter-branch -f --msg-filter "echo x" main >/dev/null',
})

const worktrees = attacksOf('worktrees', {
  'a file of another task': 'echo x >>$OTHER/README.md',
  'a commit in another task': 'git -C $OTHER commit -q --allow-empty -m x',
  'another worktree removed': 'git worktree remove --force $OTHER',
  'worktrees pruned': 'mv $OTHER $OTHER.gone; git worktree prune',
  'a new worktree': 'git worktree add -q /tmp/new.$$ -b new.$$; rm -rf /tmp/new.$$',
  'another worktree locked': 'git worktree lock $OTHER',
  'another worktree moved': 'git worktree move $OTHER $OTHER.moved',
  'the registration of another': 'echo "ref: refs/heads/main" >$MAIN/.git/worktrees/T2/HEAD',
  'a file of the main checkout': 'echo x >>$MAIN/README.md',
  'a planted script in the main checkout':
    'mkdir -p $MAIN/node_modules/.bin && echo evil >$MAIN/node_modules/.bin/git',
  'the main checkout removed': 'rm -rf $MAIN/README.md $MAIN/src',
})

const config = attacksOf('config and hooks', {
  'git config': 'git config user.name evil',
  'git config --worktree':
    'git config extensions.worktreeConfig true && git config --worktree user.name evil',
  'git config --global': 'git config --global user.name evil && test -w $PERSON/.gitconfig',
  'an alias': 'git config alias.st "!$WT/evil.sh"',
  'config written as a file': 'printf "[core]\\n\\tfsmonitor = $WT/evil.sh\\n" >>$MAIN/.git/config',
  'a hook written as a file': 'cp evil.sh $MAIN/.git/hooks/post-commit',
  hooksPath: 'git config core.hooksPath $WT',
  'info/attributes': 'mkdir -p $MAIN/.git/info && echo "* filter=x" >>$MAIN/.git/info/attributes',
  'info/exclude': 'mkdir -p $MAIN/.git/info && echo "*" >>$MAIN/.git/info/exclude',
  'include of a file in the worktree': 'git config include.path $WT/evil.cfg',
  'a credential helper': 'git config credential.helper "!$WT/evil.sh"',
  sshCommand: 'git config core.sshCommand $WT/evil.sh',
  'url rewritten': 'git config url./evil.insteadOf https://',
  grafts: 'mkdir -p $MAIN/.git/info && echo "$(git rev-parse HEAD)" >$MAIN/.git/info/grafts',
  shallow: 'git rev-parse HEAD >$MAIN/.git/shallow',
})

const objects = attacksOf('objects', {
  'a loose object overwritten':
    'f=$(find $MAIN/.git/objects -type f -path "*/??/*" | head -1); chmod u+w $f && echo x >$f',
  'objects deleted': 'rm -rf $MAIN/.git/objects/??',
  'an alternate planted':
    'mkdir -p $MAIN/.git/objects/info && echo /nowhere >$MAIN/.git/objects/info/alternates',
  'a commit-graph planted':
    'mkdir -p $MAIN/.git/objects/info && echo x >$MAIN/.git/objects/info/commit-graph',
  'a pack planted': 'mkdir -p $MAIN/.git/objects/pack && echo x >$MAIN/.git/objects/pack/pack-1.pack',
  gc: 'git -C $MAIN gc -q --prune=now',
  repack: 'git -C $MAIN repack -q -a -d',
  'prune-packed and an empty store': 'git -C $MAIN repack -q -a -d; rm -f $MAIN/.git/objects/pack/*',
  'hash-object into the store': 'echo planted | git --git-dir=$MAIN/.git hash-object -w --stdin',
  'times of objects': 'find $MAIN/.git/objects -type f | head -3 | xargs touch -d 2001-01-01',
  'modes of objects': 'find $MAIN/.git/objects -type f | head -3 | xargs chmod 777',
  'a hard link to an object':
    'f=$(find $MAIN/.git/objects -type f -path "*/??/*" | head -1); ln $f linked && chmod u+w linked && echo x >linked',
  'objects folder swapped': 'mv $MAIN/.git/objects $MAIN/.git/o2 && mkdir $MAIN/.git/objects',
})

/** What a person's or an engine's git would run afterwards, from what stands in the worktree. */
const traps = attacksOf(
  'traps for the host',
  {
    'the pointer replaced by a repository of its own':
      'rm -rf .git; git init -q . && git config core.fsmonitor $WT/evil.sh',
    'the pointer replaced by a link':
      'mkdir g && git init -q g && git -C g config core.fsmonitor $WT/evil.sh && rm -rf .git && ln -s g/.git .git',
    'the pointer to another git directory':
      'git init -q g && git -C g config core.fsmonitor $WT/evil.sh && rm -rf .git && echo "gitdir: $WT/g/.git" >.git',
    'the pointer renamed': 'mv .git .g2 && git init -q . && git config core.fsmonitor $WT/evil.sh',
    'fsmonitor in the own configuration': 'git config core.fsmonitor $WT/evil.sh',
    'a filter in the own configuration':
      'git config filter.x.clean "$WT/evil.sh; cat" && echo "* filter=x" >.gitattributes && touch README.md && echo x >>README.md',
    'an external diff': 'git config diff.external $WT/evil.sh && echo x >>README.md',
    'a textconv':
      'git config diff.x.textconv $WT/evil.sh && echo "* diff=x" >.gitattributes && echo x >>README.md',
    'a process filter':
      'git config filter.x.process $WT/evil.sh && echo "* filter=x" >.gitattributes && echo x >>README.md',
    'a hook in the own git directory':
      'd=$(git rev-parse --git-path hooks) && mkdir -p $d && for h in post-index-change pre-commit post-commit reference-transaction; do cp evil.sh $d/$h; done',
    'hooksPath in the worktree':
      'git config core.hooksPath $WT/h && mkdir h && for h in post-index-change pre-commit post-commit; do cp evil.sh h/$h; done',
    'a pager':
      'git config core.pager $WT/evil.sh && git config pager.log true && git config pager.status $WT/evil.sh; git config core.fsmonitor $WT/evil.sh',
    'a signing program':
      'git config gpg.program $WT/evil.sh && git config commit.gpgSign true && echo x >>README.md',
    'commondir in the own git directory':
      'd=$(git rev-parse --git-dir) && git init -q g && git -C g config core.fsmonitor $WT/evil.sh && echo $WT/g/.git >$d/commondir',
    'a nested repository with a monitor':
      'git init -q n && git -C n config user.email a@b && git -C n config user.name a && (cd n && echo x >f && git add f && git commit -qm x) && git add n 2>/dev/null; git -C n config core.fsmonitor $WT/evil.sh; echo y >n/f',
    'a nested repository with a filter':
      'git init -q n && git -C n config user.email a@b && git -C n config user.name a && (cd n && echo x >f && git add f && git commit -qm x) && git add n 2>/dev/null; git -C n config filter.x.clean "$WT/evil.sh; cat"; echo "* filter=x" >n/.gitattributes; sleep 1; touch n/f; echo y >n/f',
    'an include in the own configuration':
      'printf "[core]\\n\\tfsmonitor = $WT/evil.sh\\n" >evil.cfg && git config include.path $WT/evil.cfg',
  },
  { needsHost: true },
)

export const gitAttacks: readonly Attack[] = [...refs, ...worktrees, ...config, ...objects, ...traps]
