import { isGit, mentionsGit, startsProcess } from './code-words.ts'
import type { Leaf } from './flatten.ts'
import { notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { readOptions } from './options.ts'
import { interpreters, lookers, refused, runners } from './programs.ts'
import type { Rules } from './rules.ts'
import { isPlainSed } from './sed-script.ts'
import { literalArg } from './words.ts'
import type { Arg } from './words.ts'

/** Whether a program other than git may be run with these words. */
export function judgeProgram(leaf: Leaf, rules: Rules): Objection | undefined {
  return refusal(leaf) ?? judgeLooker(leaf) ?? (isLooker(leaf) ? undefined : judgeDoer(leaf, rules))
}

export function isLooker({ name }: { readonly name: string }): boolean {
  return Object.hasOwn(lookers, name)
}

function refusal({ name, path }: Leaf): Objection | undefined {
  const why = Object.hasOwn(refused, name) ? refused[name] : undefined
  if (why !== undefined) return { rule: `shell:${name}`, why: `${name} is not allowed: ${why}` }
  if (isGit(name)) return { rule: 'shell:git-by-another-name', why: `${path} is not allowed; call it as git` }
  if (/^ld(-linux|-musl|\.so)/.test(name)) return notUnderstood(`a program started through ${name}`)
  return undefined
}

function judgeLooker({ name, args }: Leaf): Objection | undefined {
  if (name === 'sed') return judgeSed(args)
  if (/^[gmn]?awk$/.test(name)) return judgeAwk(name, args)
  const options = Object.hasOwn(lookers, name) ? (lookers[name] ?? []) : []
  const bad = args.find(({ prefix }) => options.some((option) => isOption(prefix, option)))
  return bad && { rule: `shell:${name}`, why: `${name} with ${bad.source} is not allowed` }
}

function isOption(prefix: string, option: string): boolean {
  if (option.startsWith('--'))
    return prefix.startsWith('--') && prefix.length > 3 && option.startsWith(prefix.split('=')[0] ?? '')
  return prefix.startsWith(option) || (/^-[a-zA-Z]+$/.test(prefix) && prefix.includes(option.slice(1)))
}

const sedOptions =
  '-n -e= -E -r -i -s -z -u --quiet --silent --expression= --regexp-extended --in-place=? --debug --posix --null-data'

function judgeSed(args: readonly Arg[]): Objection | undefined {
  const { objection, scripts } = readSed(args)
  if (objection !== undefined) return notUnderstood(`sed ${objection.split(' is ')[0]}`)
  const wrong = scripts.find(({ value }) => value === undefined || !isPlainSed(value))
  return wrong && notUnderstood(`the sed script ${wrong.source}`)
}

/** The scripts of a sed command and the files that it edits in place. */
export function readSed(args: readonly Arg[]): {
  readonly objection?: string
  readonly scripts: readonly Arg[]
  readonly edits: readonly Arg[]
} {
  // A suffix for copies, as in -i.bak, changes nothing about what the script does.
  const plain = args.map((arg) => (/^-i[^nrEszu]/.test(arg.value ?? '') ? literalArg('-i') : arg))
  const { objection, words, used, values } = readOptions(plain, sedOptions, 'globs')
  if (objection !== undefined) return { objection, scripts: [], edits: [] }
  const given = values.filter(([name]) => name === '-e' || name === '--expression').map(([, value]) => value)
  const scripts = given.length > 0 ? given : words.slice(0, 1)
  const files = given.length > 0 ? words : words.slice(1)
  return { scripts, edits: used.some((name) => name === '-i' || name === '--in-place') ? files : [] }
}

/** awk runs commands by system(), by getline and through pipes. */
function judgeAwk(name: string, args: readonly Arg[]): Objection | undefined {
  const { objection, words } = readOptions(args, '-F= -v=', 'first')
  const [program] = words
  if (objection !== undefined || !program) return notUnderstood(`${name} with these options`)
  if (program.value === undefined) return notUnderstood(`the awk program ${program.source}`)
  const isPlain = !/system|getline|@|(?<!\|)\|(?!\|)/.test(program.value)
  return isPlain ? undefined : notUnderstood('an awk program with system, getline or a pipe')
}

function judgeDoer(leaf: Leaf, rules: Rules): Objection | undefined {
  if (!rules.shell) {
    return {
      rule: 'role:shell',
      why: `${leaf.name} is not for this role, which only looks; use the tools for files`,
    }
  }
  return judgeWords(leaf) ?? judgeRunner(leaf) ?? judgeCode(leaf) ?? judgeDownload(leaf, rules)
}

function judgeWords({ name, args }: Leaf): Objection | undefined {
  const bad = args.find(({ prefix }) => isGit(prefix) || mentionsGit(prefix))
  return (
    bad && {
      rule: 'shell:git-in-words',
      why: `${name} with ${bad.source} could run git unchecked; run git itself`,
    }
  )
}

function judgeRunner({ name, args }: Leaf): Objection | undefined {
  const subcommands = Object.hasOwn(runners, name) ? runners[name] : undefined
  if (
    !subcommands ||
    (subcommands.length > 0 && !args.some(({ value }) => subcommands.includes(value ?? '')))
  ) {
    return undefined
  }
  const unknown = args.find(({ value, prefix }) => value === undefined && prefix === '')
  return unknown && notUnderstood(`${name} with ${unknown.source}`)
}

export function interpreterOf(name: string): (typeof interpreters)[number] | undefined {
  return interpreters.find((one) => one.name.test(name))
}

function judgeCode({ name, args }: Leaf): Objection | undefined {
  const known = interpreterOf(name)
  if (!known) return undefined
  const at = args.findIndex(({ value }) => known.inline.includes(value ?? ''))
  const code = args[at + 1]
  if (at >= 0 && code && code.value === undefined) return notUnderstood(`the code ${code.source}`)
  const bad = args.find(({ prefix }) => startsProcess(prefix, name))
  return (
    bad && { rule: 'shell:code', why: `code that starts processes cannot be checked; run the command itself` }
  )
}

function judgeDownload({ name, args }: Leaf, rules: Rules): Objection | undefined {
  if (!['curl', 'wget', 'aria2c', 'lynx', 'w3m', 'links'].includes(name) || rules.web) return undefined
  const isLocal = args.every(({ prefix }) => !/^[a-z]+:\/\//i.test(prefix) || localUrl.test(prefix))
  const hasUrl = args.some(({ prefix }) => localUrl.test(prefix))
  return isLocal && hasUrl
    ? undefined
    : { rule: 'web:role', why: `${name} reaches only this machine; this role has no access to the web` }
}

const localUrl = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])([:/]|$)/i
