import { gitAdvice, gitCommands, gitGlobalOptions } from './git-commands.ts'
import type { GitCommand } from './git-commands.ts'
import { readOptions } from './options.ts'
import type { Objection } from './objection.ts'
import type { Arg } from './words.ts'

/** What somebody may do with git. */
export interface GitGrants {
  readonly commit: boolean
  /** Settling conflicts, while a merge is under way. */
  readonly merge: boolean
}

export interface GitJudgement {
  readonly objection?: Objection
  /** Files that the command changes; the role's scope decides about them. */
  readonly changes: readonly Arg[]
  /** Where it works, of `-C`. */
  readonly places: readonly Arg[]
}

export function judgeGit(args: readonly Arg[], grants: GitGrants): GitJudgement {
  const places: Arg[] = []
  let from = 0
  for (let place = args[1]; args[from]?.value === '-C' && place; place = args[from + 1]) {
    places.push(place)
    from += 2
  }
  return { ...judgeRest(args.slice(from), grants), places }
}

function judgeRest(args: readonly Arg[], grants: GitGrants): GitJudgement {
  const front = readOptions(args, gitGlobalOptions, 'first')
  if (front.objection) return refuse('option', `git ${front.objection}`)
  const [first, ...rest] = front.words
  if (!first) return { changes: [], places: [] }
  const name = first.value
  if (name === undefined)
    return refuse('subcommand', `${first.source} could be any command of git; write it out`)
  const command = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined
  if (!command) return refuse(name, `git ${name} is not allowed: ${adviceOn(name)}`)
  return grantOf(name, command, grants) ?? judgeCommand(name, command, rest)
}

function refuse(rule: string, why: string): GitJudgement {
  return { objection: { rule: `git:${rule}`, why }, changes: [], places: [] }
}

function adviceOn(name: string): string {
  return gitAdvice[name] ?? 'only commands that look or add are'
}

function grantOf(name: string, command: GitCommand, grants: GitGrants): GitJudgement | undefined {
  if (command.needs === 'look') return undefined
  if (command.needs === 'merge') {
    return grants.merge ? undefined : refuse(name, `git ${name} is not allowed: ${adviceOn(name)}`)
  }
  return grants.commit
    ? undefined
    : refuse(name, `git ${name} is not for this role: the engine commits what it writes`)
}

function judgeCommand(name: string, command: GitCommand, args: readonly Arg[]): GitJudgement {
  const { objection, words, used } = readOptions(args, command.options, command.globs ? 'globs' : 'any')
  if (objection !== undefined) return refuse(name, `git ${name} ${objection}; ${adviceOn(name)}`)
  if (words.length > (command.most ?? Infinity) || !listsOnly(name, words)) {
    return refuse(name, `git ${name} with these words is not allowed: ${adviceOn(name)}`)
  }
  if (command.oneOf && !command.oneOf.some((option) => used.includes(option))) {
    return refuse(name, `git ${name} is allowed only with ${command.oneOf.join(' or ')}: ${adviceOn(name)}`)
  }
  return { changes: command.changes ? words : [], places: [] }
}

/** `git worktree list` looks, `git worktree prune` does not; the first word decides, not an option. */
function listsOnly(name: string, words: readonly Arg[]): boolean {
  return name !== 'worktree' || words[0]?.value === 'list'
}
