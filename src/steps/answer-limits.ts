import { lengthOf } from '../model/cut.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Limits, Role } from '../model/workflow.ts'

/** How long an answer and its texts may be. The content of a file has a limit of its own (C-35). */
export function limitProblems(limits: Limits | undefined, role: Role, answer: JsonObject): string[] {
  if (!limits) return []
  const { edits, ...rest } = answer
  const whole = over(JSON.stringify(answer), limits.answer)
  const texts = role.edits === 'engine' ? textsIn(rest, '') : textsIn(answer, '')
  return [
    ...(whole === undefined ? [] : [`the answer has ${whole}`]),
    ...texts.flatMap(({ at, text }) => problem(at, text, limits.text)),
    ...(role.edits === 'engine' ? contentsIn(edits) : []).flatMap(({ at, text }) =>
      problem(at, text, limits.content),
    ),
  ]
}

function problem(at: string, text: string, most: number | undefined): string[] {
  const found = over(text, most)
  return found === undefined ? [] : [`${at}: has ${found}`]
}

function over(text: string, most: number | undefined): string | undefined {
  if (most === undefined || text.length <= most) return undefined
  const length = lengthOf(text)
  return length <= most ? undefined : `${length} characters, at most ${most} are taken`
}

interface Found {
  readonly at: string
  readonly text: string
}

function textsIn(value: Json, at: string): Found[] {
  if (typeof value === 'string') return [{ at, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value as JsonObject).flatMap(([key, part]) =>
    textsIn(part, at === '' ? key : `${at}.${key}`),
  )
}

function contentsIn(edits: Json | undefined): Found[] {
  if (!Array.isArray(edits)) return []
  return edits.flatMap((edit: Json, index) => {
    const content = isJsonObject(edit) ? edit['content'] : undefined
    return typeof content === 'string' ? [{ at: `edits.${index}.content`, text: content }] : []
  })
}
