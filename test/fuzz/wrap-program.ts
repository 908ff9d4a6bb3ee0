import type { Dice } from './dice.ts'

/** Ways to have a whole program run, or not run, by another one. */
type Wrapper = (program: string, dice: Dice) => string

const shells = ['sh', 'bash -e', 'bash --norc', '/bin/sh', 'env bash', 'command sh', 'dash']

export const programWrappers: readonly [Wrapper, ...Wrapper[]] = [
  (program, dice) => `bash -c ${inQuotes(program, dice)}`,
  ...shells.map(
    (shell): Wrapper =>
      (program, dice) =>
        `${shell} -c ${inQuotes(program, dice)}`,
  ),
  (program, dice) => `bash -lc ${inQuotes(program, dice)}`,
  (program, dice) => `bash -o pipefail -c ${inQuotes(program, dice)} x y`,
  (program, dice) => `eval ${inQuotes(program, dice)}`,
  (program, dice) => `eval -- ${inQuotes(program, dice)}`,
  (program, dice) => `trap ${inQuotes(program, dice)} EXIT`,
  (program, dice) => `bash <<<${inQuotes(program, dice)}`,
  (program, dice) => `echo ${inQuotes(program, dice)} | sh`,
  (program, dice) => `printf '%s' ${inQuotes(program, dice)} | bash -s`,
  (program, dice) => `. /dev/stdin <<<${inQuotes(program, dice)}`,
  (program, dice) => `source <(echo ${inQuotes(program, dice)})`,
  (program, dice) => hereDocument('sh', program, dice),
  (program, dice) => hereDocument('bash -s', program, dice),
  (program, dice) => hereDocument('cat', program, dice),
  (program, dice) => hereDocument('cat', `$(${program}\n)`, dice),
  (program, dice) => `find a.txt -exec sh -c ${inQuotes(program, dice)} \\;`,
  (program, dice) => `echo x | xargs -I{} sh -c ${inQuotes(program, dice)}`,
  (program, dice) => `awk ${inQuotes(`BEGIN { system("${program.replaceAll(/["\\\n]/g, '')}") }`, dice)}`,
  (program, dice) => `sed ${inQuotes(`1e ${program.replaceAll('\n', ';')}`, dice)} a.txt`,
  (program, dice) => `python3 -c ${inQuotes(`import os; os.system(${JSON.stringify(program)})`, dice)}`,
  (program, dice) => `perl -e ${inQuotes(`system(q\0${program}\0)`.replaceAll('\0', '~'), dice)}`,
  inFile((file, quotes) => `echo ${quotes} >${file}; sh ${file}`),
  inFile((file, quotes) => `printf '%s' ${quotes} >${file} && . ./${file}`),
  inFile((file, quotes) => `cat >${file} <<<${quotes}; chmod +x ${file}; ./${file}`),
  inFile((file, quotes) => `tee ${file} <<<${quotes}; bash ${file}`),
  inFile((file, quotes) => `echo ${quotes} >/tmp/${file}; source /tmp/${file}`),
  inFunction((name, program) => `${name}() { ${program}\n}; ${name}`),
  inFunction((name, program) => `function ${name} {\n${program}\n}\n${name} x`),
  inFunction((name, program) => `${name}() ( ${program}\n); echo "$(${name})"`),
  (program, dice) => `unused_${dice.fresh()}() { ${program}\n}; echo done`,
  inShadow((name, program) => `${name}() { ${program}\n}; ${name}`),
  inShadow((name, program) => `function ${name} { ${program}\n}; echo "$(${name})"`),
  (program, dice) => `shopt -s expand_aliases\nalias a${dice.fresh()}=x ll=${inQuotes(program, dice)}\nll`,
  (program) => `( ${program}\n)`,
  (program) => `{ ${program}\n}`,
  (program) => `if true; then ${program}\nfi`,
  (program) => `if ${program}\nthen echo yes; else echo no; fi`,
  (program) => `case x in x) ${program}\n;; esac`,
  (program) => `case "$(${program}\n)" in *) true ;; esac`,
  (program) => `for one in 1; do ${program}\ndone`,
  (program) => `true && { ${program}\n}`,
  (program) => `false || { ${program}\n}`,
  (program) => `! { ${program}\n}`,
  (program) => `cd . && { ${program}\n}`,
  (program) => `cd .. && { ${program}\n}`,
  (program) => `cd /tmp; ${program}`,
  (program) => `pushd / >/dev/null; ${program}`,
  (program) => `echo "$(${program}\n)"`,
  (program) => `echo $(${program}\n)`,
  (program) => `echo '$(${program.replaceAll("'", '')})'`,
  (program) => `echo "\`${program.replaceAll(/[`"\\]/g, '')}\`"`,
  (program) => `x=$(${program}\n)`,
  (program) => `export x="$(${program}\n)"`,
  (program) => `x=(1 $(${program}\n))`,
  (program) => `: \${x:=$(${program}\n)}`,
  (program) => `echo "\${x:-$(${program}\n)}"`,
  (program) => `echo \${PWD/a/$(${program}\n)}`,
  (program) => `[[ -n $(${program}\n) ]]`,
  (program) => `[ -n "$(${program}\n)" ]`,
  (program) => `test "$(${program}\n)" = x`,
  (program) => `echo $(( 1 + $(${program}\n) ))`,
  (program) => `(( x = $(${program}\n) ))`,
  (program) => `echo $[ $(${program}\n) ]`,
  (program) => `let x='a[$(${bare(program)})]'`,
  (program) => `a[$(${program}\n)]=1`,
  inVariable((name, program) => `${name}='a[$(${bare(program)})]'; echo $((${name}))`),
  inVariable((name, program) => `${name}='a[$(${bare(program)})]'; [[ $${name} -eq 1 ]]`),
  inVariable((name, program) => `${name}='a[$(${bare(program)})]'; echo \${b:${name}}`),
  inVariable((name, program) => `${name}='a[$(${bare(program)})]'; b[$${name}]=1`),
  (program) => `declare -i x='a[$(${bare(program)})]'`,
  (program) => `printf -v 'a[$(${bare(program)})]' x`,
  (program) => `read 'a[$(${bare(program)})]' <<<x`,
  (program) => `unset 'a[$(${bare(program)})]'`,
  (program) => `test -v 'a[$(${bare(program)})]'`,
  (program) => `[[ -v a[$(${bare(program)})] ]]`,
  inVariable((name, program) => `${name}='$(${bare(program)})'; echo "\${${name}@P}"`),
  (program) => `cat <(${program}\n)`,
  (program) => `echo x > >(${program}\n)`,
  (program) => `cat < <(${program}\n)`,
  (program) => `echo x | { ${program}\n}`,
  (program) => `{ ${program}\n} | cat`,
  (program) => `{ ${program}\n} 2>&1 | tee /dev/null`,
  (program) => `time { ${program}\n}`,
  (program) => `echo x >$(${program}\n)`,
  (program) => `cat <<<$(${program}\n)`,
  (program) => `# ${program.replaceAll('\n', ' ')}\ntrue`,
  (program) => `true # ${program}`,
  (program, dice) => `ln -s /usr/bin/git l${dice.fresh()}; ${program}`,
  (program, dice) => `cp /usr/bin/git ./mine${dice.fresh()}; ${program}`,
  (program) => program.replace(/\bgit\b/, () => './git').replace(/^/, 'cp /usr/bin/git git\n'),
  (program) => `PATH=.:$PATH; ${program}`,
  (program) => `set -- git push; ${program}; "$@"`,
  (program) => `set -e; ${program}`,
  (program) => `IFS=x; c=gitxpush; $c; ${program}`,
  (program) => `GIT_DIR=/nowhere; export GIT_DIR; ${program}`,
  (program) => `exec 3>&1; ${program}`,
]

/** In quotes that keep it as it is, or in double quotes that the outer shell looks into. */
function inQuotes(program: string, dice: Dice): string {
  return dice.one([
    `'${program.replaceAll("'", String.raw`'\''`)}'`,
    `"${program.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`,
    `"${program.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
    `$'${program.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`,
  ])
}

/** Without what would end the quotes around it. */
function bare(program: string): string {
  return program.replaceAll("'", '').replaceAll('\n', ' ')
}

function hereDocument(command: string, program: string, dice: Dice): string {
  const [mark, end] = dice.one([
    ['E', 'E'],
    ["'E'", 'E'],
    ['"E"', 'E'],
    [String.raw`\E`, 'E'],
    ['-E', '\tE'],
  ] as const)
  return `${command} <<${mark}\n${program}\n${end}\n`
}

function inFile(use: (file: string, quotes: string) => string): Wrapper {
  return (program, dice) => use(`f${dice.fresh()}.sh`, inQuotes(program, dice))
}

function inFunction(use: (name: string, program: string) => string): Wrapper {
  return (program, dice) => use(`my_f${dice.fresh()}`, program)
}

/** What calculates with a variable looks into what it holds: its own name must not be in there. */
function inVariable(use: (name: string, program: string) => string): Wrapper {
  return (program, dice) => use(`e${dice.fresh()}`, program)
}

/** Programs of the machine that no other part of a program calls: a function of that name never meets itself. */
const shadowed =
  'date uname whoami id tty nproc uptime arch factor logname users who hostid groups pinky'.split(' ')

function inShadow(use: (name: string, program: string) => string): Wrapper {
  return (program, dice) => use(shadowed[dice.fresh() % shadowed.length] ?? 'date', program)
}
