import { firstOf, notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import type { Leaf } from './flatten.ts'
import { readOptions } from './options.ts'
import { nameObjection, variableObjection } from './variables.ts'
import type { Arg } from './words.ts'

/** Builtins of the shell that take names of variables, calculate, or change how the shell works. */
export function judgeBuiltin({ name, args }: Leaf): Objection | undefined {
  return Object.hasOwn(judges, name) ? judges[name]?.(args) : undefined
}

const judges: Readonly<Record<string, (args: readonly Arg[]) => Objection | undefined>> = {
  printf: judgePrintf,
  read: (args) => judgeNames('read', args, '-r -s -e -p= -d= -n= -N= -t= -u= -i= -a='),
  mapfile: (args) => judgeNames('mapfile', args, '-t -d= -n= -O= -s= -u='),
  readarray: (args) => judgeNames('readarray', args, '-t -d= -n= -O= -s= -u='),
  unset: (args) => judgeNames('unset', args, '-v -f'),
  getopts: (args) => firstOf(args.slice(1, 2), nameObjection),
  export: judgeDeclaration,
  declare: judgeDeclaration,
  typeset: judgeDeclaration,
  local: judgeDeclaration,
  readonly: judgeDeclaration,
  set: judgeSet,
  test: judgeTest,
  '[': judgeTest,
  wait: (args) => (args.some(({ prefix }) => prefix.startsWith('-p')) ? notUnderstood('wait -p') : undefined),
  source: judgeSource,
  '.': judgeSource,
}

function judgePrintf(args: readonly Arg[]): Objection | undefined {
  const [first, second] = args
  if (!first || (first.value === undefined && first.prefix !== '' && !first.prefix.startsWith('-')))
    return undefined
  if (first.value === undefined)
    return notUnderstood(`printf ${first.source} (printf '%s' ${first.source} can be)`)
  if (!first.value.startsWith('-v')) return undefined
  const name = first.value.length > 2 ? { ...first, value: first.value.slice(2) } : second
  return name && nameObjection(name)
}

function judgeNames(name: string, args: readonly Arg[], options: string): Objection | undefined {
  const { objection, words, values } = readOptions(args, options, 'any')
  if (objection !== undefined) return notUnderstood(`${name} ${objection.split(' is ')[0]}`)
  const arrays = values.filter(([option]) => option === '-a').map(([, value]) => value)
  return firstOf([...words, ...arrays], nameObjection)
}

/** `declare -i` calculates, `declare -n` makes one name mean another, `-f` is about functions. */
function judgeDeclaration(args: readonly Arg[]): Objection | undefined {
  return firstOf(args, (arg) => {
    if (arg.value !== undefined && /^[-+][xragluAp]+$/.test(arg.value)) return undefined
    const name = /^([A-Za-z_]\w*)(\+?=|$)/.exec(arg.prefix)?.[1]
    const isWhole = arg.value !== undefined || arg.prefix.includes('=')
    if (name === undefined || !isWhole) {
      return /^[A-Za-z_]\w*=\(/.test(arg.source) ? undefined : notUnderstood(`the declaration ${arg.source}`)
    }
    const value = arg.value?.slice(arg.value.indexOf('=') + 1)
    return variableObjection(name, { ...arg, value })
  })
}

function judgeSet(args: readonly Arg[]): Objection | undefined {
  const end = args.findIndex(({ value }) => value === '--')
  return firstOf(end < 0 ? args : args.slice(0, end), ({ value, source }) =>
    value !== undefined && setting.test(value) ? undefined : notUnderstood(`set ${source}`),
  )
}

const setting = /^([-+][euxvfao]+|errexit|nounset|pipefail|xtrace|verbose|noglob|errtrace)$/

/** `-v` and `-R` look up `a[...]` and calculate; two unknown words could be that. */
function judgeTest(args: readonly Arg[]): Objection | undefined {
  if (args.some(({ value }) => value === '-v' || value === '-R')) return notUnderstood('test -v')
  const risky = args.some(
    ({ value }, at) =>
      value === undefined &&
      !takesWord(args[at - 1]) &&
      !isOperator(args[at + 1]) &&
      ![undefined, ']'].includes(args[at + 1]?.value ?? (args[at + 1] ? '?' : undefined)),
  )
  return risky ? notUnderstood('a test of two unknown words') : undefined
}

/** `-f "$x"`, `= "$x"`; after `!`, `-a` and `-o` a new test begins. */
function takesWord(arg: Arg | undefined): boolean {
  return isOperator(arg) && !/^(!|\(|\)|-a|-o)$/.test(arg?.value ?? '')
}

function isOperator(arg: Arg | undefined): boolean {
  return /^(=|==|!=|<|>|!|\(|\)|=~|-[a-z]{1,2})$/.test(arg?.value ?? '')
}

function judgeSource([file]: readonly Arg[]): Objection | undefined {
  if (file?.value !== undefined && !/^\/(dev|proc)\//.test(file.value)) return undefined
  return notUnderstood(`source ${file?.source ?? ''}`)
}
