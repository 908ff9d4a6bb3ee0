import type { OwnRule } from '../model/firewall-rule.ts'
import { matchesAny } from '../model/glob.ts'
import type { Objection } from './objection.ts'
import type { Rules } from './rules.ts'

/** One thing that own rules can speak about. */
export type Subject =
  | { readonly on: 'shell'; readonly words: readonly (string | undefined)[] }
  | { readonly on: Exclude<OwnRule['on'], 'shell'>; readonly name: string }

export interface OwnOpinion {
  readonly objection?: Objection
  /** The user allows what the built-in rules would not. A project cannot. */
  readonly allowedBy?: string
}

/** The strictest set wins: the user's rules amend the built-in ones, the project's can only tighten both. */
export function ownOpinion(rules: Rules, subject: Subject): OwnOpinion {
  const project = lastFitting(rules.project, rules.role, subject)
  if (project?.effect === 'deny') return { objection: objectionOf(project) }
  const user = lastFitting(rules.user, rules.role, subject)
  if (!user) return {}
  return user.effect === 'deny' ? { objection: objectionOf(user) } : { allowedBy: user.id }
}

function objectionOf({ id, because, on, pattern }: OwnRule): Objection {
  return { rule: id, why: because ?? `a rule of this project or user denies ${on} ${pattern}` }
}

function lastFitting(rules: readonly OwnRule[], role: string, subject: Subject): OwnRule | undefined {
  return rules.findLast(
    (rule) =>
      rule.on === subject.on && (rule.roles.length === 0 || rule.roles.includes(role)) && fits(rule, subject),
  )
}

function fits(rule: OwnRule, subject: Subject): boolean {
  if (subject.on === 'shell') return fitsWords(rule, subject.words)
  return subject.on === 'agent' || matchesAny(subject.name, [rule.pattern])
}

/** What is denied is denied with any further words; what is allowed is allowed exactly, unless it ends in `*`. */
function fitsWords({ effect, pattern }: OwnRule, words: readonly (string | undefined)[]): boolean {
  const wanted = pattern.trim().split(/\s+/)
  const isOpen = wanted.at(-1) === '*'
  const fixed = isOpen ? wanted.slice(0, -1) : wanted
  if (words.length < fixed.length) return false
  if (effect === 'allow' && !isOpen && words.length !== fixed.length) return false
  return fixed.every((want, at) => {
    const word = words[at]
    return word !== undefined && matchesWord(word, want)
  })
}

function matchesWord(word: string, want: string): boolean {
  const source = want.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`).replaceAll('*', '.*')
  return new RegExp(`^${source}$`, 'su').test(word)
}
