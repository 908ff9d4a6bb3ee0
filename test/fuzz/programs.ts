/** Random shell programs, most of which run a git command somewhere in them. The same seed gives the same programs. */
export function programs(count: number, seed: number): string[] {
  const random = randomOf(seed)
  const made = new Set<string>()
  while (made.size < count) {
    const program = nest(random, 1 + Math.floor(random() * 3))
    made.add(random() < 0.15 ? mutated(program, random) : program)
  }
  return [...made]
}

type Random = () => number

/** mulberry32 */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function pick<T>(random: Random, list: readonly T[]): T {
  const one = list[Math.floor(random() * list.length)]
  if (one === undefined) throw new Error('an empty list')
  return one
}

const gitWords = [
  'push',
  'push origin main',
  'checkout main',
  'switch main',
  'reset --hard',
  'rebase main',
  'commit --amend -m x',
  'branch -D x',
  'tag v1',
  'stash',
  'merge x',
  'log --output=x',
  '-c a.b=c status',
  '--git-dir=x status',
  'status',
  'log -1',
  'add .',
  'commit -m x',
  'diff --stat',
]

/** One word, written in another way. */
function respelled(word: string, random: Random): string {
  const at = 1 + Math.floor(random() * Math.max(1, word.length - 1))
  const [head, tail] = [word.slice(0, at), word.slice(at)]
  const hex = head
    .split('')
    .map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`)
    .join('')
  return pick(random, [
    word,
    word,
    word,
    `${head}""${tail}`,
    `${head}''${tail}`,
    `"${head}"${tail}`,
    `'${head}'${tail}`,
    `${head}\\${tail}`,
    `$'${hex}'${tail}`,
    `${head}\\\n${tail}`,
    `${head}$EMPTY${tail}`,
    `${head}\${EMPTY}${tail}`,
    `${head}$(:)${tail}`,
    `${head}\`:\`${tail}`,
  ])
}

function gitLeaf(random: Random): string {
  const words = ['git', ...pick(random, gitWords).split(' ')]
  const spelled = words.map((word) => (random() < 0.3 ? respelled(word, random) : word))
  const space = pick(random, [' ', ' ', ' ', '  ', '\t', ' \\\n'])
  const whole = spelled.join(space)
  const [first = '', second = '', ...rest] = words
  return pick(random, [
    whole,
    whole,
    whole,
    `x=${first}; $x ${second} ${rest.join(' ')}`,
    `x=${second}; git $x`,
    `x="${words.slice(1).join(' ')}"; git $x`,
    `a=(${words.join(' ')}); "\${a[@]}"`,
    `set -- ${words.join(' ')}; "$@"`,
    `${first} >/dev/null ${words.slice(1).join(' ')}`,
    `>/dev/null ${whole}`,
    `A=1 B=2 ${whole}`,
    `\${NOTHING:-git} ${second}`,
    `{${words.join(',')}}`,
    `command ${whole}`,
    `my_run() { "$@"; }; my_run ${whole}`,
    `my_run() { git "$1"; }; my_run ${second}`,
    `git() { command git ${words.slice(1).join(' ')}; }; git status`,
    `shopt -s expand_aliases\nalias g=git\ng ${words.slice(1).join(' ')}`,
    `IFS=,; x=${words.join(',')}; $x`,
    `printf -v x git; $x ${second}`,
    `read -r x <<< git; $x ${second}`,
  ])
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`
}

const wraps: readonly ((inner: string, random: Random) => string)[] = [
  (inner) => `true; ${inner}`,
  (inner) => `true && ${inner}`,
  (inner) => `false || ${inner}`,
  (inner) => `echo x | ${inner}`,
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `! ${inner}`,
  (inner) => `time ${inner}`,
  (inner) => `if ${inner}; then :; else :; fi`,
  (inner) => `if true; then ${inner}; fi`,
  (inner) => `for i in 1 2; do ${inner}; done`,
  (inner) => `for ((i=0; i<1; i++)); do ${inner}; done`,
  (inner) => `while ${inner}; do break; done`,
  (inner) => `until ${inner}; do break; done`,
  (inner) => `case a in a) ${inner};; *) :;; esac`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `x=$(${inner})`,
  (inner) => 'echo `' + inner.replaceAll('\\', '\\\\').replaceAll('`', '\\`') + '`',
  (inner) => `cat <(${inner})`,
  (inner) => `echo y > >(${inner})`,
  (inner) => `cat <<END\n$(${inner})\nEND`,
  (inner) => `cat <<'END'\n${inner}\nEND`,
  (inner) => `bash <<'END'\n${inner}\nEND`,
  (inner) => `bash <<< ${quoted(inner)}`,
  (inner) => `echo ${quoted(inner)} | bash`,
  (inner) => `echo ${quoted(inner)} | sh -s`,
  (inner) => `bash -c ${quoted(inner)}`,
  (inner) => `bash -c ${doubleQuoted(inner)}`,
  (inner) => `sh -ec ${quoted(inner)}`,
  (inner) => `bash -lc ${quoted(inner)}`,
  (inner) => `bash --norc -c ${quoted(inner)} name`,
  (inner) => `eval ${quoted(inner)}`,
  (inner) => `eval ${doubleQuoted(inner)}`,
  (inner) => `trap ${quoted(inner)} EXIT`,
  (inner) => `c=${quoted(inner)}; eval "$c"`,
  (inner) => `c=${quoted(inner)}; bash -c "$c"`,
  (inner) => `my_f() { ${inner}; }; my_f`,
  (inner) => `echo ${quoted(inner)} > s.sh; sh s.sh`,
  (inner) => `echo ${quoted(inner)} > s.sh; . ./s.sh`,
  (inner) => `source <(echo ${quoted(inner)})`,
  (inner) => `x='a[$(${inner.replaceAll("'", '')})]'; echo $((x))`,
  (inner) => `x='a[$(${inner.replaceAll("'", '')})]'; [[ $x -eq 1 ]]`,
  (inner) => `x='$(${inner.replaceAll("'", '')})'; echo "\${x@P}"`,
  (inner) => `echo $(( 1 + $(${inner} >/dev/null; echo 1) ))`,
  (inner) => `echo \${NOTHING:-$(${inner})}`,
  (inner) => `a=($(${inner}))`,
  (inner) => `[[ -n $(${inner}) ]]`,
  (inner) => `coproc { ${inner}; }; wait`,
  (inner) => `${inner} & wait`,
  (inner) => `{ ${inner}; } 2>&1 | cat`,
  (inner) => `env bash -c ${quoted(inner)}`,
  (inner) => `awk 'BEGIN { system("${inner.replaceAll(/["'\\\n$]/g, '')}") }'`,
  (inner) => `sed "1e ${inner.replaceAll(/["'\\\n$]/g, '')}" /dev/null`,
  (inner) => `python3 -c 'import os; os.system("${inner.replaceAll(/["'\\\n$]/g, '')}")'`,
  (inner) => `perl -e 'system("${inner.replaceAll(/["'\\\n$]/g, '')}")'`,
  (inner) => `find . -maxdepth 0 -exec sh -c ${quoted(inner)} \\;`,
  (inner) => `echo a | xargs -I{} sh -c ${quoted(inner)}`,
  (inner) => `BASH_ENV=s.sh; echo ${quoted(inner)} > s.sh; export BASH_ENV; bash -c :`,
  (inner) => `mapfile -C ${quoted(`${inner};:`)} -c 1 y <<< a`,
]

/** Only in front of a simple command. */
const prefixes = [
  'env',
  'env A=1',
  'env -u A',
  'nice',
  'nice -n 1',
  'nohup',
  'timeout 5',
  'setsid -w',
  'stdbuf -oL',
  'command',
  'command -p',
  'exec',
  'builtin command',
  'find . -maxdepth 0 -exec',
  'echo a | xargs',
  'xargs -n1 <<< a',
]

function nest(random: Random, depth: number): string {
  if (depth === 0) return random() < 0.1 ? 'echo hello' : gitLeaf(random)
  if (random() < 0.3) {
    const words = pick(random, gitWords)
    const prefix = pick(random, prefixes)
    const [whole, tail] = [`git ${words}`, prefix.includes('-exec') ? ' \\;' : '']
    return prefix.endsWith('<<< a') ? `echo ${words} | xargs git` : `${prefix} ${whole}${tail}`
  }
  return pick(random, wraps)(nest(random, depth - 1), random)
}

/** A letter more, less, twice or another: most of these are no programs any more, some are other ones. */
function mutated(program: string, random: Random): string {
  const at = Math.floor(random() * program.length)
  const [head, tail] = [program.slice(0, at), program.slice(at)]
  const sign = pick(random, [
    ';',
    '&',
    '|',
    '"',
    "'",
    '\\',
    '$',
    '(',
    ')',
    '{',
    '}',
    '#',
    '\n',
    '`',
    ' ',
    '<',
    '>',
  ])
  return pick(random, [
    head + tail.slice(1),
    head + sign + tail,
    head + sign + tail.slice(1),
    head + tail[0] + tail,
  ])
}
