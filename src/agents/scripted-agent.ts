import { existsSync, readFileSync } from 'node:fs'
import type { AgentUsage } from '../model/agent.ts'
import { expand } from '../model/template.ts'
import type { Play } from './pick-call.ts'
import type { Call } from './script-schema.ts'
import { eventLine, failureEvent, isStream } from './scripted-events.ts'
import { complain, speak, write } from './scripted-speech.ts'
import { pathOf, textOf, type Stage } from './scripted-stage.ts'
import { changeFiles, makeCommits, runCommands, startCommands } from './scripted-work.ts'

// The program of a scripted agent, started as `node scripted-agent.cjs CALL.json` with the prompt on stdin. It is
// the world that Baton has to cope with, not a part of Baton: it acts at once and as it is told. It starts for
// every call, so it loads nothing but Node's own modules and a few small files.

const exitCodes = { unmetExpectation: 64, wrongScript: 65, readerGone: 141 } as const

process.stdout.on('error', () => process.exit(exitCodes.readerGone))
// Unless it comes to an end, it has not played its part.
process.exitCode = exitCodes.wrongScript
void main(process.argv[2] ?? '').then((code) => (process.exitCode = code))

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
