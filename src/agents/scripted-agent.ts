import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Json, JsonObject } from '../model/json.ts'
import { expand, expandValue, variablesOf } from '../model/template.ts'
import type { AgentUsage } from '../model/agent.ts'
import { half, render } from './render-answer.ts'
import type { Play } from './pick-call.ts'
import type { Call } from './script-schema.ts'
import { eventLine, failureEvent, isStream } from './scripted-events.ts'

// The program of a scripted agent, started as `node scripted-agent.js CALL.json` with the prompt on stdin. It is
// the world that Baton has to cope with, not a part of Baton: it acts at once and as it is told. It starts for
// every call, so it loads nothing but Node's own modules and a few small files.

const exitCodes = { unmetExpectation: 64, wrongScript: 65, readerGone: 141 } as const

type Stage = {
  readonly call: Call
  readonly worktree: string
  readonly values: JsonObject
  readonly env: Readonly<Record<string, string>>
}

/** In a stream everything that is said is an event. */
let speaksInEvents = false

process.stdout.on('error', () => process.exit(exitCodes.readerGone))
process.exitCode = await main(process.argv[2] ?? '')

async function main(playFile: string): Promise<number> {
  try {
    const prompt = readFileSync(0, 'utf8')
    const play: Play = JSON.parse(readFileSync(playFile, 'utf8'))
    if (play.type === 'nothing') return complain([play.reason], exitCodes.wrongScript)
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]))
    return await perform({ ...play, env }, prompt)
  } catch (error) {
    // Whatever the script asked for and could not be done. An agent has nobody to throw at.
    return complain([error instanceof Error ? error.message : String(error)], exitCodes.wrongScript)
  }
}

async function perform(stage: Stage, prompt: string): Promise<number> {
  const { call } = stage
  const unmet = unmetExpectations(stage, prompt)
  if (unmet.length > 0) return complain(unmet, exitCodes.unmetExpectation)
  if (call.ends?.type === 'hang' && call.ends.stubborn) ignoreSignals()
  if (call.delay !== undefined) await sleep(call.delay)
  if (!isStream(call)) return act(stage)
  const { model, fails, usage } = call
  await write(eventLine({ type: 'started', ...(model === undefined ? {} : { model }) }))
  await useTools(call)
  if (fails) {
    await write(eventLine(failureEvent(fails, Date.now())))
    await tellUsage(usage)
    return end({ ...call, ends: call.ends ?? { type: 'exit', code: 1 } })
  }
  speaksInEvents = true
  const code = await act(stage)
  await tellUsage(usage)
  await write(eventLine({ type: 'finished', ok: code === 0 }))
  return code
}

async function act(stage: Stage): Promise<number> {
  changeFiles(stage)
  await runCommands(stage)
  await makeCommits(stage)
  await startCommands(stage)
  await speak(stage)
  return end(stage.call)
}

async function useTools({ tools = [] }: Call): Promise<void> {
  for (const [index, { name, lasts, ok }] of tools.entries()) {
    const id = `tool-${index + 1}`
    await write(eventLine({ type: 'tool_call', id, name, input: {} }))
    await sleep(lasts)
    await write(eventLine({ type: 'tool_result', id, ok }))
  }
}

/** What the script leaves out is not said. */
async function tellUsage(usage: Call['usage']): Promise<void> {
  if (usage) await write(eventLine({ ...(usage as AgentUsage), type: 'usage' }))
}

function unmetExpectations(stage: Stage, prompt: string): string[] {
  const { expects = [], expects_file: files = [] } = stage.call
  return [
    ...expects
      .map((text) => textOf(stage, text))
      .filter((text) => !prompt.includes(text))
      .map((text) => `the prompt does not contain: ${text}`),
    ...files
      .filter((path) => !existsSync(pathOf(stage, path)))
      .map((path) => `the worktree does not contain: ${expand(path, stage.values)}`),
  ]
}

function changeFiles(stage: Stage): void {
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
  mkdirSync(dirname(path), { recursive: true })
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

async function runCommands(stage: Stage): Promise<void> {
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

async function makeCommits(stage: Stage): Promise<void> {
  for (const { message, add } of stage.call.commits ?? []) {
    const paths = add === 'all' ? ['--all'] : ['--', ...add.map((path) => expand(path, stage.values))]
    await git(stage, ['add', ...paths])
    await git(stage, ['commit', '--quiet', '--message', expand(message, stage.values)])
  }
}

async function startCommands(stage: Stage): Promise<void> {
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

async function speak(stage: Stage): Promise<void> {
  const { prints, flood, answer, as, after, ends } = stage.call
  // Before anything is printed: an agent that fails must not have answered.
  const last = after === undefined ? undefined : asLines(textOf(stage, after))
  if (prints !== undefined) await print(asLines(textOf(stage, prints)))
  if (flood !== undefined) await printFlood(flood)
  if (answer !== undefined) {
    const answered = render(await answerOf(stage, answer), as ?? 'fenced')
    if (ends?.type === 'partial') return print(half(answered))
    if (answered !== '') await print(answered)
  }
  if (last !== undefined) await print(last)
}

async function answerOf(stage: Stage, answer: Json): Promise<Json> {
  if (stage.call.template === false) return answer
  if (!variablesOf(JSON.stringify(answer)).includes('commit')) return expandValue(answer, stage.values)
  const { captureCommand } = await import('../platform/capture.ts')
  const head = await captureCommand(['git', 'rev-parse', '--short', 'HEAD'], surroundings(stage))
  if (head.code !== 0) throw new Error(`no commit to speak of: ${head.stderr.trim()}`)
  return expandValue(answer, { ...stage.values, commit: head.stdout.toString().trim() })
}

async function end(call: Call): Promise<number> {
  switch (call.ends?.type) {
    case undefined:
      return 0
    case 'exit':
      return call.ends.code
    case 'partial':
      return 1
    case 'crash':
      process.kill(process.pid, 'SIGKILL')
      return sleepForEver()
    case 'hang':
      return sleepForEver()
  }
}

function ignoreSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}

function sleepForEver(): Promise<never> {
  return new Promise(() => setInterval(() => {}, 60_000))
}

function sleep(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms))
}

/** Exactly so many bytes. Every block waits until it has been taken. */
async function printFlood(bytes: number): Promise<void> {
  const line = 'a line of a flood, which says nothing and goes on and on and on and on and on\n'
  const block = Buffer.from(line.repeat(8192))
  for (let left = bytes; left > 0; left -= block.length) {
    await print(left >= block.length ? block : `${block.toString('utf8', 0, left - 1)}\n`)
  }
}

function print(text: string | Uint8Array): Promise<void> {
  return write(speaksInEvents ? eventLine({ type: 'text', text: Buffer.from(text).toString() }) : text)
}

/** Resolves when the text has been handed over, so that what a command prints after it also comes after it. */
function write(text: string | Uint8Array): Promise<void> {
  return new Promise((done) => process.stdout.write(text, () => done()))
}

function complain(reasons: readonly string[], code: number): number {
  for (const reason of reasons) process.stderr.write(`scripted agent: ${reason}\n`)
  return code
}

/** Loaded only by a call that needs it: node:child_process costs 10 ms, a fifth of the whole start. */
function loadCommands() {
  return import('../platform/run-through.ts')
}

function surroundings({ worktree, env }: Stage): Pick<Stage, 'env'> & { readonly cwd: string } {
  return { cwd: worktree, env }
}

function pathOf({ worktree, values }: Stage, path: string): string {
  return resolve(worktree, expand(path, values))
}

/** Texts are full of braces that mean something else, so they are templates only where the script says so. */
function textOf({ call, values }: Stage, text: string): string {
  return call.template === true ? expand(text, values) : text
}

function wordsOf(stage: Stage, [command, ...args]: readonly [string, ...string[]]): [string, ...string[]] {
  return [textOf(stage, command), ...args.map((arg) => textOf(stage, arg))]
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
