import { gitCommands } from './git-commands.ts'
import type { Rules } from './rules.ts'

interface Place {
  /** The git directory of the agent: what other repositories, of the project's tests for example, do is not ours. */
  readonly gitDir: string
  readonly branch: string
}

/**
 * A `git` in front of git, for scripts that the firewall did not look into. By the name of the subcommand alone,
 * and only on the task's own repository: it says early and clearly what the walls would stop anyway.
 */
export function gitShim(rules: Rules, { gitDir }: Place): string {
  const names = Object.entries(gitCommands)
    .filter(([, { needs }]) => needs === 'look' || (needs === 'commit' ? rules.set === 'full' : rules.merge))
    .map(([name]) => name)
  return `#!/bin/sh
own=\${0%/*}
real=
old=$IFS
IFS=:
for dir in $PATH; do
  if [ -z "$real" ] && [ "$dir" != "$own" ] && [ -x "$dir/git" ] && [ ! -d "$dir/git" ]; then real=$dir/git; fi
done
IFS=$old
[ -n "$real" ] || { echo 'git: not found' >&2; exit 127; }
name=
skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    -C | -c | --git-dir | --work-tree | --namespace | --config-env) skip=1 ;;
    -*) ;;
    *) name=$word; break ;;
  esac
done
case $name in
  '' | ${names.join(' | ')}) exec "$real" "$@" ;;
esac
if [ "$("$real" rev-parse --absolute-git-dir 2>/dev/null)" = ${quoted(gitDir)} ]; then
  echo "Permission denied: git $name is not allowed here; only commands that look or add are" >&2
  exit 126
fi
exec "$real" "$@"
`
}

/** The hook `reference-transaction` of the agent's git directory: one branch, which only grows. */
export function refHook({ branch }: Place): string {
  return `#!/bin/sh
[ "$1" = prepared ] || exit 0
deny() {
  echo "Permission denied: $1" >&2
  exit 1
}
while read -r old new ref; do
  case $ref in
    ${quoted(`refs/heads/${branch}`)})
      case $new in
        *[!0]*) ;;
        *) deny 'the task branch stays' ;;
      esac
      case $old in
        *[!0]*) git merge-base --is-ancestor "$old" "$new" 2>/dev/null || deny 'history is only added to; make a further commit' ;;
      esac ;;
    refs/*) deny "$ref is not yours to change; there is one branch, ${branch.replaceAll(/[^\w./-]/g, '_')}" ;;
  esac
done
exit 0
`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
