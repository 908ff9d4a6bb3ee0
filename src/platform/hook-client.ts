/**
 * The program that an agent's tool runs before every tool call: its input goes to the run's process, what comes
 * back is printed. A shell script with two pipes, because starting node would take longer than everything else,
 * and because pipes in a folder pass through the walls where sockets and networks do not. Tools go on when a
 * hook crashes, hangs or says nothing; so whatever goes wrong here ends with exit code 2 and a reason.
 */
export function hookClient(channel: string, patienceSeconds: number): string {
  return `#!/bin/sh
channel=${quoted(channel)}
nl='
'
deny() {
  printf 'Permission denied: %s\\n' "$1" >&2
  exit 2
}
ask() {
  [ -p "$channel/ask" ] || return 1
  id=$$.$1
  umask 077
  cat >"$channel/q.$id" && mkfifo "$channel/a.$id" || return 1
  exec 3<>"$channel/a.$id" || return 1
  printf '%s\\n' "$id" >"$channel/ask" || return 1
  while IFS= read -r line <&3; do
    printf '%s\\n' "$line"
    [ "$line" = end ] && return 0
  done
  return 1
}
if [ "$1" = --ask ]; then
  ask "$2"
  exit $?
fi
trap 'deny "the firewall was stopped"' TERM INT HUP
answer=$(timeout -k 1 ${patienceSeconds} "$0" --ask $$ 2>/dev/null) || deny 'the firewall did not answer, so nothing is allowed'
case $answer in
  *"\${nl}end") answer=\${answer%"\${nl}end"} ;;
  *) deny 'the firewall gave half an answer, so nothing is allowed' ;;
esac
code=\${answer%%"$nl"*}
text=\${answer#*"$nl"}
case $code in
  0) [ -z "$text" ] || printf '%s\\n' "$text" ;;
  2) [ -n "$text" ] || deny 'no reason was given'
    printf '%s\\n' "$text"
    printf '%s\\n' "$text" >&2 ;;
  *) deny 'the firewall gave no answer that is known, so nothing is allowed' ;;
esac
exit "$code"
`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
