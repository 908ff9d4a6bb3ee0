import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expand } from '../model/template.ts'
import { makeFolders } from '../platform/make-folders.ts'
import { complain } from './scripted-speech.ts'
import { pathOf, surroundings, textOf, wordsOf, type Stage } from './scripted-stage.ts'

// A part of the program of a scripted agent, so it loads what starts processes only for a call that needs it.

export function changeFiles(stage: Stage): void {
  const { writes = {}, edits = [], deletes = [], symlinks = {} } = stage.call
  for (const [path, text] of Object.entries(writes)) {
    writeFileSync(roomFor(pathOf(stage, path)), textOf(stage, text))
  }
  for (const edit of edits) replaceOnce(stage, edit)
  for (const path of deletes) rmSync(pathOf(stage, path), { recursive: true })
  for (const [path, target] of Object.entries(symlinks)) {
    symlinkSync(expand(target, stage.values), roomFor(pathOf(stage, path)))
  }
}

function roomFor(path: string): string {
  makeFolders(dirname(path))
  return path
}

function replaceOnce(
  stage: Stage,
  edit: { readonly file: string; readonly replace: string; readonly with: string },
) {
  const path = pathOf(stage, edit.file)
  const old = textOf(stage, edit.replace)
  const [before, after, ...others] = readFileSync(path, 'utf8').split(old)
  if (after === undefined) throw new Error(`${path} does not contain: ${old}`)
  if (others.length > 0) throw new Error(`${path} contains more than once: ${old}`)
  writeFileSync(path, `${before}${textOf(stage, edit.with)}${after}`)
}

export async function runCommands(stage: Stage): Promise<void> {
  for (const { argv, must } of stage.call.runs ?? []) {
    const words = wordsOf(stage, argv)
    const { runThrough } = await loadCommands()
    const code = await runThrough(words, surroundings(stage))
    if (code === 0) continue
    const reason = `${words.join(' ')} ended with ${code}`
    if (must) throw new Error(reason)
    complain([reason], code)
  }
}

export async function makeCommits(stage: Stage): Promise<void> {
  for (const { message, add } of stage.call.commits ?? []) {
    const paths = add === 'all' ? ['--all'] : ['--', ...add.map((path) => expand(path, stage.values))]
    await git(stage, ['add', ...paths])
    await git(stage, ['commit', '--quiet', '--message', expand(message, stage.values)])
  }
}

export async function startCommands(stage: Stage): Promise<void> {
  for (const { argv, session } of stage.call.starts ?? []) {
    const { startBehind } = await loadCommands()
    await startBehind(wordsOf(stage, argv), { ...surroundings(stage), session })
  }
}

async function git(stage: Stage, args: readonly string[]): Promise<void> {
  const { runThrough } = await loadCommands()
  const code = await runThrough(['git', ...args], surroundings(stage))
  if (code === 0) return
  const why = args[0] === 'commit' && code === 1 ? ' (nothing to commit?)' : ''
  throw new Error(`git ${args.join(' ')} ended with ${code}${why}`)
}

/** Loaded only by a call that needs it: node:child_process costs 10 ms, a fifth of the whole start. */
function loadCommands() {
  return import('../platform/run-through.ts')
}
