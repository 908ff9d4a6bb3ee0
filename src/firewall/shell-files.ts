import { resolve } from 'node:path'
import type { Leaf } from './flatten.ts'
import { readSed } from './judge-program.ts'
import { firstOf } from './objection.ts'
import type { Objection } from './objection.ts'
import { writers } from './programs.ts'
import type { Rules } from './rules.ts'
import { judgeUnknownWrite, judgeWrite, within } from './scope.ts'
import type { Arg } from './words.ts'

/** The folders that a program may be in, one after the other; undefined for one that nobody knows. */
export function foldersOf(leaves: readonly Leaf[], cwd: string): readonly (string | undefined)[] {
  const folders: (string | undefined)[] = [cwd]
  for (const { name, args } of leaves) {
    if (name !== 'cd' && name !== 'pushd') continue
    const target = args.find(({ prefix }) => prefix !== '-L' && prefix !== '-P' && prefix !== '--')
    const last = folders.at(-1)
    const isKnown = target?.value !== undefined && target.value !== '-' && last !== undefined
    folders.push(isKnown ? resolve(last, target.value ?? '') : undefined)
  }
  return folders
}

/** Files of a command that it changes. */
export function writtenBy({ name, args }: Leaf): readonly Arg[] {
  if (name === 'sed') return readSed(args).edits
  const how = Object.hasOwn(writers, name) ? writers[name] : undefined
  if (how === undefined) return []
  if (how === 'of') return args.filter(({ prefix }) => prefix.startsWith('of=')).map(withoutKey)
  const words = args.filter(({ prefix }) => !prefix.startsWith('-'))
  if (how === 'last' && !args.some(({ prefix }) => /^(-t|--target)/.test(prefix))) return words.slice(-1)
  return how === 'but-first' ? words.slice(1) : words
}

function withoutKey(arg: Arg): Arg {
  return { ...arg, value: arg.value?.slice('of='.length), prefix: arg.prefix.slice('of='.length) }
}

/** Wherever the program may be by then, the file must be within the role's scope. */
export function judgeChanges(
  rules: Rules,
  files: readonly Arg[],
  folders: readonly (string | undefined)[],
): Objection | undefined {
  return firstOf(files, (file) => {
    const path = file.value ?? (file.glob && file.prefix.includes('/') ? file.prefix : undefined)
    if (path === undefined) return unknownTarget(rules, file)
    return firstOf(folders, (folder) =>
      folder === undefined && !path.startsWith('/')
        ? judgeUnknownWrite(rules, file.source)
        : judgeWrite(rules, path, folder ?? rules.worktree),
    )
  })
}

function unknownTarget(rules: Rules, file: Arg): Objection | undefined {
  if (file.prefix.startsWith('~') || file.prefix.startsWith('/')) {
    return judgeWrite(rules, file.prefix.startsWith('~') ? '/~' : file.prefix, rules.worktree)
  }
  return judgeUnknownWrite(rules, file.source)
}

/** `git -C <folder>`: within the worktree, or refused. */
export function judgeFolder(
  rules: Rules,
  place: Arg,
  folders: readonly (string | undefined)[],
): Objection | undefined {
  const target = place.value
  const isInside =
    target !== undefined &&
    folders.every(
      (folder) => folder !== undefined && within(rules.worktree, resolve(folder, target)) !== undefined,
    )
  return isInside
    ? undefined
    : { rule: 'git:elsewhere', why: `git -C ${place.source} is outside the worktree; stay in it` }
}
