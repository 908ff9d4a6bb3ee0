import { firstOf, notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { readOptions } from './options.ts'
import { unwrapFind, unwrapXargs } from './unwrap-lists.ts'
import { refuse, runs } from './unwrapped.ts'
import type { Unwrapped } from './unwrapped.ts'
import { variableObjection } from './variables.ts'
import type { Arg } from './words.ts'

interface Wrapper {
  readonly options: string
  /** Words between the options and the command: a duration. */
  readonly skip?: number
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  env: { options: '-i --ignore-environment -u= --unset= -0 --null -v --debug' },
  nice: { options: '-n= --adjustment= -5' },
  nohup: { options: '' },
  timeout: {
    options: '--foreground --preserve-status -v --verbose -k= --kill-after= -s= --signal=',
    skip: 1,
  },
  setsid: { options: '-c -f -w --ctty --fork --wait' },
  stdbuf: { options: '-i= -o= -e= --input= --output= --error=' },
  time: { options: '-p -v --portability --verbose -f= --format=' },
  ionice: { options: '-c= -n= -t' },
  command: { options: '-p' },
  builtin: { options: '' },
  exec: { options: '-c -l -a=' },
  busybox: { options: '' },
  caffeinate: { options: '-d -i -m -s -u -t=' },
}

export const shells: readonly string[] = ['bash', 'sh', 'dash', 'ash']
const shellOptions = '-c -l -e -x -u -v -f -n -o= --norc --noprofile --login --posix --version --help'

/** Undefined for a command that runs nothing but itself. */
export function unwrap(name: string, args: readonly Arg[]): Unwrapped | undefined {
  if (isLookUp(name, args)) return undefined
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper) return unwrapPlain(name, wrapper, args)
  if (shells.includes(name)) return unwrapShell(name, args)
  return Object.hasOwn(special, name) ? special[name]?.(args) : undefined
}

const special: Readonly<Record<string, (args: readonly Arg[]) => Unwrapped>> = {
  eval: unwrapEval,
  trap: unwrapTrap,
  xargs: unwrapXargs,
  find: unwrapFind,
}

/** `command -v x` only says where x is. */
function isLookUp(name: string, args: readonly Arg[]): boolean {
  return name === 'command' && ['-v', '-V'].includes(args[0]?.value ?? '')
}

function unwrapPlain(name: string, { options, skip = 0 }: Wrapper, args: readonly Arg[]): Unwrapped {
  const { objection, words } = readOptions(args, options, 'first')
  if (objection !== undefined) return refuse(notUnderstood(`${name} ${objection.split(' is ')[0]}`))
  const rest = words.slice(skip)
  const given = name === 'env' ? rest.findIndex((word) => !isAssignment(word)) : 0
  const [assignments, command] = given < 0 ? [rest, []] : [rest.slice(0, given), rest.slice(given)]
  const wrong = firstOf(assignments, assignmentObjection)
  if (wrong) return refuse(wrong)
  const [first, ...more] = command
  return { commands: first ? [{ name: first, args: more }] : [], codes: [], self: false }
}

function assignmentObjection(word: Arg): Objection | undefined {
  const [variable = '', ...value] = word.prefix.split('=')
  return variableObjection(variable, {
    ...word,
    value: word.value === undefined ? undefined : value.join('='),
  })
}

function isAssignment({ prefix }: Arg): boolean {
  return /^[A-Za-z_]\w*=/.test(prefix)
}

function unwrapShell(name: string, args: readonly Arg[]): Unwrapped {
  const { objection, words, used } = readOptions(args, shellOptions, 'first')
  if (objection !== undefined) return refuse(notUnderstood(`${name} ${objection.split(' is ')[0]}`))
  if (used.some((option) => ['--version', '--help'].includes(option))) return runs([])
  const [first] = words
  if (!first)
    return refuse({
      rule: 'shell:stdin',
      why: `${name} would run what it is fed with; give it the commands with -c`,
    })
  if (!used.includes('-c')) return { ...runs([]), self: true }
  if (first.value === undefined) return refuse(notUnderstood(`${name} -c ${first.source}`))
  return { ...runs([first.value]), dialect: name === 'bash' ? 'bash' : 'any' }
}

function unwrapEval(args: readonly Arg[]): Unwrapped {
  const values = afterDashes(args).map(({ value }) => value)
  if (values.includes(undefined)) return refuse(notUnderstood('eval with something unknown'))
  return runs([values.join(' ')])
}

function unwrapTrap(args: readonly Arg[]): Unwrapped {
  const [action] = afterDashes(args)
  if (!action || ['-', '', '-p', '-l'].includes(action.value ?? 'x')) return runs([])
  return action.value === undefined ? refuse(notUnderstood(`trap ${action.source}`)) : runs([action.value])
}

/** These builtins have no options worth reading, but they do know the end of options. */
function afterDashes(args: readonly Arg[]): readonly Arg[] {
  return args[0]?.value === '--' ? args.slice(1) : args
}
