import { resolve } from 'node:path'
import type { JsonObject } from '../model/json.ts'
import { expand } from '../model/template.ts'
import type { Call } from './script-schema.ts'

// A part of the program of a scripted agent, so it loads next to nothing.

/** What a scripted agent plays, and where. */
export interface Stage {
  readonly call: Call
  readonly worktree: string
  readonly values: JsonObject
  readonly env: Readonly<Record<string, string>>
}

export function surroundings({ worktree, env }: Stage): Pick<Stage, 'env'> & { readonly cwd: string } {
  return { cwd: worktree, env }
}

export function pathOf({ worktree, values }: Stage, path: string): string {
  return resolve(worktree, expand(path, values))
}

/** Texts are full of braces that mean something else, so they are templates only where the script says so. */
export function textOf({ call, values }: Stage, text: string): string {
  return call.template === true ? expand(text, values) : text
}

export function wordsOf(
  stage: Stage,
  [command, ...args]: readonly [string, ...string[]],
): [string, ...string[]] {
  return [textOf(stage, command), ...args.map((arg) => textOf(stage, arg))]
}
