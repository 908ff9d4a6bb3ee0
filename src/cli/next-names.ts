import { posix } from 'node:path'
import { resolveBase } from '../git/repository.ts'
import type { Repository } from '../git/repository.ts'
import { filesAt } from '../git/summarize.ts'
import type { InputSpec } from '../model/workflow.ts'

/**
 * Values for the inputs that are counted on: with `next: runs/plan_0001.json` the first of `plan_0001`, `plan_0002` and
 * so on whose file the base does not have (C-40).
 */
export async function nextNames(
  repo: Repository,
  inputs: Readonly<Record<string, InputSpec>>,
  base: string | undefined,
): Promise<Record<string, string>> {
  const counted = Object.entries(inputs).flatMap(([name, { next }]) =>
    next === undefined ? [] : [{ name, next }],
  )
  if (counted.length === 0) return {}
  const { commit } = await resolveBase(repo, base)
  const values = counted.map(async ({ name, next }) => {
    const taken = (await filesAt(repo, commit, posix.dirname(next))).map(({ path }) => path)
    return [name, firstFree(next, new Set(taken))] as const
  })
  return Object.fromEntries(await Promise.all(values))
}

function firstFree(path: string, taken: ReadonlySet<string>): string {
  const folder = posix.dirname(path)
  const ending = posix.extname(path)
  const [, stem = '', digits = '1'] = /^(.*?)(\d+)$/.exec(posix.basename(path, ending)) ?? []
  for (let number = Number(digits); ; number++) {
    const name = `${stem}${String(number).padStart(digits.length, '0')}`
    if (!taken.has(posix.join(folder, `${name}${ending}`))) return name
  }
}
