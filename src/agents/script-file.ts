import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import * as z from 'zod'
import { agentErrors } from '../model/agent.ts'
import type { AgentRequest } from '../model/agent.ts'
import { parseDuration } from '../model/duration.ts'
import { FailureError } from '../model/failure.ts'
import { survivesJson, textOf, type Json, type JsonObject } from '../model/json.ts'
import { lookUp } from '../model/template.ts'

/** What a scripted agent is given to play, as JSON in a file: the program that plays it parses nothing else. */
export type Play =
  | {
      readonly type: 'call'
      readonly call: Call
      readonly worktree: string
      readonly values: JsonObject
    }
  | { readonly type: 'nothing'; readonly reason: string }

const answerForms = ['fenced', 'bare', 'prose', 'single_quotes', 'broken', 'twice', 'none'] as const

export type AnswerForm = (typeof answerForms)[number]

const text = z.string()
const path = z.string().min(1, 'a path')
const argv = z.tuple([z.string().min(1)], z.string())

const durationHint = 'a duration such as 250ms, 5s or 2m'

const duration = z.string(durationHint).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms === undefined) context.addIssue(durationHint)
  return ms ?? z.NEVER
})

const units: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }

const sizeHint = 'a size such as 500B, 64KB, 20MB or 1GB'

const size = z.string(sizeHint).transform((value, context) => {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(B|KB|MB|GB)$/.exec(value) ?? []
  const factor = units[unit]
  if (factor === undefined) context.addIssue(sizeHint)
  return Math.round(Number(amount) * (factor ?? 0))
})

const run = z.union(
  [
    argv.transform((words) => ({ argv: words, must: false })),
    strict({ argv, must: z.boolean().default(false) }),
  ],
  'a command is a list of texts, or { argv: [...], must: true }',
)

const start = z.union([
  argv.transform((words) => ({ argv: words, session: false })),
  strict({ argv, session: z.boolean().default(false) }),
])

const starts = z.union(
  [start.transform((one) => [one]), z.array(start).min(1)],
  'a command is a list of texts, or { argv: [...], session: true }; several of them are a list of these',
)

const commit = strict({
  message: text.min(1),
  add: z.union([z.literal('all'), z.array(path).min(1)]).default('all'),
})

const commits = z.union(
  [text.min(1).transform((message) => [{ message, add: 'all' as const }]), z.array(commit).min(1)],
  'a message, or a list of { message: ..., add: all } or { message: ..., add: [path, ...] }',
)

const ends = z.union(
  [
    strict({ exit: z.int().min(0).max(255) }).transform(({ exit }) => ({
      type: 'exit' as const,
      code: exit,
    })),
    strict({ hang: z.literal(true), stubborn: z.boolean().default(false) }).transform(({ stubborn }) => ({
      type: 'hang' as const,
      stubborn,
    })),
    strict({ crash: z.literal(true) }).transform(() => ({ type: 'crash' as const })),
    strict({ partial: z.literal(true) }).transform(() => ({ type: 'partial' as const })),
  ],
  'one of { exit: 0 to 255 }, { hang: true }, { hang: true, stubborn: true }, { crash: true }, { partial: true }',
)

const tool = strict({
  name: text.min(1).default('shell'),
  lasts: duration.default(0),
  ok: z.boolean().default(true),
})

const amount = z.number().min(0).optional()

const instantHint = 'a time such as 2027-01-31T12:00:00Z'

const instant = z.string(instantHint).transform((value, context) => {
  const at = Date.parse(value)
  if (Number.isNaN(at)) context.addIssue(instantHint)
  return at
})

const fails = strict({
  error: z.enum(agentErrors),
  message: text.optional(),
  resets_in: duration.optional(),
  resets_at: instant.optional(),
})

const callKeys = {
  expects: z.array(text).optional(),
  expects_file: z.array(path).optional(),
  template: z.boolean().optional(),
  delay: duration.optional(),
  writes: z.record(path, text).optional(),
  edits: z.array(strict({ file: path, replace: text.min(1), with: text })).optional(),
  deletes: z.array(path).optional(),
  symlinks: z.record(path, path).optional(),
  runs: z.array(run).optional(),
  commits: commits.optional(),
  starts: starts.optional(),
  model: text.optional(),
  tools: z.array(tool).min(1).optional(),
  usage: strict({ input: amount, cached: amount, output: amount, cost: amount }).optional(),
  fails: fails.optional(),
  prints: text.optional(),
  flood: size.optional(),
  answer: z.custom<Json>(survivesJson, 'plain JSON').optional(),
  as: z.enum(answerForms).optional(),
  after: text.optional(),
  ends: ends.optional(),
}

const call = strict(callKeys).superRefine(refuseMissingAnswer)

const scalar = z.union([z.string(), z.number(), z.boolean()], 'a text, a number, true or false')

/** What one visit of a step does: a list of calls, or the keys of the only one. */
const entry = strict({
  when: z.record(z.string(), scalar).default({}),
  calls: z.array(call).min(1).optional(),
  ...callKeys,
}).transform(({ when, calls, ...only }, context) => {
  if (calls === undefined) {
    refuseMissingAnswer(only, context)
    return { when, calls: [only] }
  }
  if (Object.keys(only).length > 0) context.addIssue("beside 'calls' an entry has only 'when'")
  return { when, calls }
})

const entries = z.record(text, z.array(entry).min(1))

const scriptSchema = strict({
  name: text.optional(),
  roles: entries.optional(),
  steps: entries.optional(),
  defaults: strict({ delay: duration.optional() }).optional(),
}).refine(({ roles, steps }) => roles !== undefined || steps !== undefined, "a script has 'roles' or 'steps'")

export type Call = z.infer<typeof call>
export type Script = z.infer<typeof scriptSchema>

/** Throws `script.invalid`, with the file and line of the first thing that is wrong. */
export function parseScript(source: string, file: string): Script {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): string => `${file}:${Math.max(1, lines.linePos(offset).line)}`
  const [broken] = document.errors
  if (broken) throw invalid(lineAt(broken.pos[0]), broken.message)
  const parsed = scriptSchema.safeParse(valueOf(document, file))
  if (parsed.success) return parsed.data
  const [first = { path: [], message: 'not a script' }, ...more] = parsed.error.issues
  const place = first.path.length === 0 ? '' : `${first.path.join('.')}: `
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
  throw invalid(lineAt(offsetOf(document, first)), `${place}${first.message}${rest}`)
}

/** The last entry stands for all further visits, its last call for all further calls. Both count from 1. */
export function pickCall(
  script: Script,
  at: Pick<AgentRequest, 'step' | 'role' | 'visit' | 'call' | 'values'>,
): Call | undefined {
  const all = ownValue(script.steps, at.step) ?? ownValue(script.roles, at.role) ?? []
  const visits = all.filter(({ when }) => applies(when, at.values))
  const picked = atMost(atMost(visits, at.visit)?.calls ?? [], at.call)
  return picked && { ...script.defaults, ...picked }
}

function strict<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return `unknown key '${issue.keys.join("', '")}', allowed are ${Object.keys(shape).join(', ')}`
    },
  })
}

function refuseMissingAnswer(keys: z.infer<z.ZodObject<typeof callKeys>>, context: z.RefinementCtx): void {
  if (keys.answer !== undefined) return
  if (keys.as !== undefined) context.addIssue({ code: 'custom', path: ['as'], message: "needs an 'answer'" })
  if (keys.ends?.type === 'partial') {
    context.addIssue({ code: 'custom', path: ['ends'], message: "'partial' needs an 'answer'" })
  }
}

function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // The parser leaves aliases alone; that one leads nowhere, or to far too much, is found only here.
    throw invalid(file, error instanceof Error ? error.message : String(error))
  }
}

function invalid(place: string, problem: string): FailureError {
  return new FailureError({
    code: 'script.invalid',
    message: `${place}: ${problem.split('\n', 1)[0]}`,
    next: `correct ${place}; docs/reference/scripted-provider.md has every key`,
  })
}

type Issue = Pick<z.core.$ZodIssue, 'path'> & { readonly keys?: readonly string[] }

/** Where in the file an issue is, or the nearest thing around it that is written there. */
function offsetOf(document: Document, issue: Issue): number {
  let node: unknown = document.contents
  let offset = 0
  for (const key of [...issue.path, ...(issue.keys?.slice(0, 1) ?? [])]) {
    const inner = childOf(isAlias(node) ? node.resolve(document) : node, key)
    if (inner === undefined) break
    offset = inner.offset ?? offset
    node = inner.node
  }
  return offset
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined
  }
  const pair = isMap(node)
    ? node.items.find(({ key: name }) => isScalar(name) && name.value === key)
    : undefined
  return pair && { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined }
}

function ownValue<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table && Object.hasOwn(table, key) ? table[key] : undefined
}

function applies(when: Readonly<Record<string, Json>>, values: JsonObject): boolean {
  return Object.entries(when).every(([name, value]) => textOf(lookUp(name, values)) === textOf(value))
}

function atMost<T>(list: readonly T[], count: number): T | undefined {
  return list[Math.min(count, list.length) - 1]
}
