import { mentionsGit, startsProcess } from './code-words.ts'
import { flatten } from './flatten.ts'
import type { Flat, Leaf } from './flatten.ts'
import { judgeBuiltin } from './judge-builtin.ts'
import { judgeGit } from './judge-git.ts'
import { interpreterOf, isLooker, judgeProgram } from './judge-program.ts'
import { firstOf, notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { ownOpinion } from './own-rules.ts'
import type { Rules } from './rules.ts'
import { judgeRead, within } from './scope.ts'
import { shells } from './unwrap.ts'
import { foldersOf, judgeChanges, judgeFolder, writtenBy } from './shell-files.ts'

/** Whether a role may run a shell program. All of its commands must be known, and each of them allowed. */
export function judgeShell(rules: Rules, source: string, cwd: string): Objection | undefined {
  const flat = flatten(source)
  if (flat.objection) return flat.objection
  const folders = foldersOf(flat.leaves, cwd)
  const isGitUsed = flat.leaves.some(isPlainGit)
  if (isGitUsed && folders.some((folder) => !isInside(rules, folder))) return elsewhere
  return (
    firstOf(flat.leaves, (leaf) => judgeLeaf(leaf, rules, folders)) ??
    firstOf(flat.writes, (file) => judgeChanges(rules, [file], folders)) ??
    firstOf(flat.reads, ({ value }) => (value === undefined ? undefined : judgeRead(rules, value, cwd))) ??
    judgeFeeding(flat, source) ??
    judgeWrittenCode(flat)
  )
}

const elsewhere = {
  rule: 'git:elsewhere',
  why: 'git after cd to a folder that is not known, or not in the worktree; stay in the worktree',
}

function isInside(rules: Rules, folder: string | undefined): boolean {
  return folder !== undefined && within(rules.worktree, folder) !== undefined
}

type Folders = readonly (string | undefined)[]

function judgeLeaf(leaf: Leaf, rules: Rules, folders: Folders): Objection | undefined {
  const words = [leaf.name, ...leaf.args.map(({ value }) => value)]
  const opinion = ownOpinion(rules, { on: 'shell', words })
  if (opinion.objection) return opinion.objection
  if (opinion.allowedBy !== undefined) return judgeBuiltin(leaf)
  if (isPlainGit(leaf)) return judgeGitLeaf(leaf, rules, folders)
  return (
    judgeBuiltin(leaf) ??
    judgeProgram(leaf, rules) ??
    firstOf(leaf.args, ({ value, prefix }) => readObjection(value ?? prefix, rules, folders)) ??
    judgeChanges(rules, writtenBy(leaf), folders)
  )
}

function isPlainGit({ path }: Leaf): boolean {
  return /^((\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\/)?git$/.test(path)
}

function judgeGitLeaf({ args }: Leaf, rules: Rules, folders: Folders): Objection | undefined {
  const grants = { commit: rules.set === 'full', merge: rules.merge && rules.merging }
  const { objection, changes, places } = judgeGit(args, grants)
  return (
    objection ??
    firstOf(places, (place) => judgeFolder(rules, place, folders)) ??
    judgeChanges(rules, changes, folders)
  )
}

/** Only what is plainly a path: absolute, in a home, or up and out. */
function readObjection(word: string, rules: Rules, folders: Folders): Objection | undefined {
  if (!/^(\/|~|\.\.\/)/.test(word)) return undefined
  return firstOf(folders, (folder) => judgeRead(rules, word, folder ?? rules.worktree))
}

/** An interpreter without a file takes its code from whatever is fed to it. */
function judgeFeeding({ leaves }: Flat, source: string): Objection | undefined {
  return firstOf(leaves, (leaf) => {
    const known = interpreterOf(leaf.name)
    if (!known || leaf.args.some(({ value }) => known.inline.includes(value ?? '') || isFile(value)))
      return undefined
    const isRisky = mentionsGit(source) || startsProcess(source, leaf.name)
    return isRisky ? notUnderstood(`code that ${leaf.name} is fed with`) : undefined
  })
}

function isFile(value: string | undefined): boolean {
  return value === undefined || /^(-V|--version|-m|-h|--help|[^-].*)$/.test(value)
}

/** A program that writes commands into a file and runs something as well could run that file. */
function judgeWrittenCode({ leaves, writes, texts }: Flat): Objection | undefined {
  const written = [...writes, ...leaves.flatMap(writtenBy)]
  if (written.every(({ value }) => value?.startsWith('/dev/') === true)) return undefined
  const runsFile = leaves.find(
    (leaf) => executedBy(leaf) && written.some(({ value }) => isSame(value, executedBy(leaf))),
  )
  if (runsFile) {
    return {
      rule: 'shell:written-code',
      why: `${runsFile.path} runs what the same command wrote, which cannot be checked`,
    }
  }
  const words = leaves.filter(isLooker).flatMap(({ args }) => args.map(({ prefix }) => prefix))
  const isAboutGit = [...texts, ...words].some(mentionsGit)
  const isRun = leaves.some((leaf) => !isLooker(leaf) && !isPlainGit(leaf) && writtenBy(leaf).length === 0)
  return isAboutGit && isRun
    ? {
        rule: 'shell:written-code',
        why: 'it writes git commands into a file and runs a program, which cannot be checked',
      }
    : undefined
}

function executedBy({ path, name, args }: Leaf): string | undefined {
  if (path.includes('/')) return path
  const isScript = shells.includes(name) || name === 'source' || name === '.'
  return isScript ? (args.find(({ prefix }) => !prefix.startsWith('-'))?.prefix ?? '') : undefined
}

function isSame(written: string | undefined, run: string | undefined): boolean {
  const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  return written === undefined || run === undefined || base(written) === base(run)
}
