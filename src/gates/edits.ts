import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'
import { languageOf } from './test-languages.ts'

/** By the numbers of their characters, so that every machine has the same order. */
export function editsSorted({ answer }: GateFacts): Judgement {
  const paths = editedPaths(answer)
  const at = paths.findIndex((path, index) => index > 0 && !isBefore(paths[index - 1] ?? '', path))
  if (at === -1) return met(counted(paths.length, 'edit'))
  return unmet(`'${paths[at - 1]}' stands before '${paths[at]}'`)
}

function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** `{ edits_inside_artifacts: "{item.artifacts}" }`: the engine has refused others before it wrote anything. */
export function editsInsideArtifacts({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const given = parameters['edits_inside_artifacts']
  const artifacts = Array.isArray(given) ? given.map((path: Json) => textOf(path)) : []
  const outside = editedPaths(answer).filter((path) => !artifacts.includes(path))
  return outside.length === 0
    ? met(`within ${listed(artifacts)}`)
    : unmet(`not among the artifacts: ${listed(outside)}`)
}

/** Test files that were there before the step are as they were. New ones are nobody's yet. */
export function testsUntouched({ stepChanges }: GateFacts): Judgement {
  const touched = stepChanges.filter(({ path, isNew }) => !isNew && isTestFile(path)).map(({ path }) => path)
  return touched.length === 0
    ? met('no test that was there is changed')
    : unmet(`tests were changed: ${listed(touched)}`)
}

/** Also what tests rest on, in a folder of tests; in Rust tests stand in the sources, which have to be written. */
export function isTestFile(path: string): boolean {
  return languageOf(path) !== undefined && !(path.endsWith('.rs') && !/(?:^|\/)tests?\//.test(path))
}

function editedPaths(answer: JsonObject): string[] {
  const edits = answer['edits']
  return Array.isArray(edits)
    ? edits.map((edit: Json) => (isJsonObject(edit) ? textOf(edit['path']) : ''))
    : []
}
