import { isAbsolute, join, normalize, relative, resolve } from 'node:path'
import { matchesAny } from '../model/glob.ts'
import type { Objection } from './objection.ts'
import { ownOpinion } from './own-rules.ts'
import type { Rules } from './rules.ts'

const temporary = ['/tmp', '/var/tmp', '/private/tmp', '/dev/shm']
const devices = /^\/dev\/(null|stdout|stderr|stdin|tty|zero|fd\/\d+)$/

/** Whether a role may write a file, as it named it in the folder that it is in. */
export function judgeWrite(rules: Rules, path: string, cwd: string): Objection | undefined {
  // A tool may or may not know the sign for a home; nobody's home is the task's.
  const full = path.startsWith('~') ? '/~' : resolve(cwd, path)
  if (devices.test(full)) return undefined
  const inside = within(rules.worktree, full)
  const name = inside ?? full
  const opinion = ownOpinion(rules, { on: 'write', name })
  const objection = opinion.objection ?? protection(name, path)
  if (objection) return objection
  if (opinion.allowedBy !== undefined || isOwnPlace(rules, full)) return undefined
  if (inside === undefined) {
    return { rule: 'write:outside', why: `${path} is outside the worktree; write inside ${rules.worktree}` }
  }
  return matchesAny(inside, rules.mayWrite) ? undefined : outOfScope(rules, path)
}

/** The role may change something, but nobody knows which files. */
export function judgeUnknownWrite(rules: Rules, source: string): Objection | undefined {
  if (rules.mayWrite.includes('**')) return undefined
  return { rule: 'write:unknown', why: `${source} could be any file, and ${scopeWords(rules)}` }
}

function outOfScope(rules: Rules, path: string): Objection {
  return { rule: 'write:scope', why: `${path} is not yours to write: ${scopeWords(rules)}` }
}

function scopeWords({ mayWrite }: Rules): string {
  return mayWrite.length === 0 ? 'this role writes no files' : `this role writes only ${mayWrite.join(', ')}`
}

/** Looking is free in the worktree and in what everybody may read; homes and other processes are nobody's business. */
export function judgeRead(rules: Rules, path: string, cwd: string): Objection | undefined {
  const full = path.startsWith('~') ? path : resolve(cwd, path)
  const inside = within(rules.worktree, full)
  const opinion = ownOpinion(rules, { on: 'read', name: inside ?? full })
  if (opinion.objection) return opinion.objection
  if (opinion.allowedBy !== undefined || inside !== undefined || isOwnPlace(rules, full)) return undefined
  if (!secret.test(full)) return undefined
  return { rule: 'read:private', why: `${path} is outside the worktree and private` }
}

const secret =
  /^~|^\/(root|home|Users)(\/|$)|^\/proc\/[^/]+\/(environ|mem|fd|root|cwd|maps)|^\/etc\/(shadow|gshadow|sudoers|ssh)|^\/run\/(secrets|user)|^\/var\/(spool|lib|log)\//

/** The path within a folder, or undefined when it is elsewhere. */
export function within(folder: string, path: string): string | undefined {
  if (!isAbsolute(folder) || !isAbsolute(path)) return undefined
  const inner = relative(folder, normalize(path))
  return inner.startsWith('..') || isAbsolute(inner) ? undefined : inner
}

/** The call's own folders and the machine's for things that do not last; the worktree may lie in one of them. */
function isOwnPlace(rules: Rules, full: string): boolean {
  if (within(rules.worktree, full) !== undefined) return false
  if (rules.places.some((place) => within(place, full) !== undefined)) return true
  const isNeighbour = within(join(rules.worktree, '..'), full) !== undefined
  return !isNeighbour && temporary.some((folder) => within(folder, full) !== undefined)
}

function protection(name: string, path: string): Objection | undefined {
  if (!/(^|\/)(\.git|\.baton)(\/|$)/i.test(name)) return undefined
  return { rule: 'write:protected', why: `${path} belongs to git or to the engine, not to the task` }
}
