import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import type { EventType } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { glanceAt } from './glance.ts'
import type { RunGlance } from './glance.ts'
import { readState } from './read-state.ts'
import { runFolder } from './run-folder.ts'

let time = Date.parse('2026-01-01T00:00:00Z')

function line(type: EventType, data: JsonObject): string {
  time += 1000
  return `${JSON.stringify({ ts: new Date(time).toISOString(), role: 'ENGINE', type, data })}\n`
}

const checkpoint = (bytes: number) => line('checkpoint', { key: 'k', value: 'ä'.repeat(bytes / 2) })

/** A run that waits, is answered, stops, goes on and ends, with much in between. */
function longRun(): string[] {
  const step = (id: string) => [
    line('step.started', { step: id, visit: 1, kind: 'agent' }),
    checkpoint(1500),
    line('step.finished', { step: id, visit: 1, kind: 'agent', outcome: 'ok' }),
  ]
  return [
    line('run.started', {
      run: '1',
      workflow: 'pipeline',
      task: 'T',
      mode: 'direct',
      digest: 'd',
      version: '1',
    }),
    line('branch.created', { branch: 'task/1', base: 'main', worktree: '/w' }),
    ...['a', 'b', 'c'].flatMap(step),
    line('run.waiting', { step: 'c', question: 'Go on?', verbs: ['approve'] }),
    line('run.resumed', {}),
    line('person.answered', { step: 'c', verb: 'approve', text: '' }),
    ...['d', 'e', 'f', 'g'].flatMap(step),
    line('run.stopped', { code: 'x', message: 'stopped' }),
    line('run.resumed', {}),
    ...['h', 'i'].flatMap(step),
    line('step.started', { step: 'j', visit: 1, kind: 'agent' }),
    checkpoint(60_000),
    line('run.finished', { outcome: 'failed', exit_code: 1, step: 'j', reason: 'no' }),
  ]
}

function inList({ run, task, branch, status, currentStep, reason, question, ...rest }: RunGlance): unknown {
  const { verbs, startedAt, updatedAt, exitCode } = rest
  return { run, task, branch, status, currentStep, reason, question, verbs, startedAt, updatedAt, exitCode }
}

describe('a glance at a run', () => {
  it('says the same as reading all of its journal, wherever that ends', async () => {
    const folder = runFolder(await makeFolder(), '1')
    const lines = longRun()
    for (let count = 1; count <= lines.length; count++) {
      await writeFile(folder.journal, lines.slice(0, count).join(''))
      expect(inList(await glanceAt(folder)), `${count} lines`).toEqual(inList(await readState(folder)))
    }
  })

  it('leaves out a line that is only begun', async () => {
    const folder = runFolder(await makeFolder(), '1')
    const lines = longRun()
    await writeFile(folder.journal, lines.join('').slice(0, -20))
    expect(inList(await glanceAt(folder))).toEqual(inList(await readState(folder)))
  })

  it('names the line that is damaged', async () => {
    const dir = await makeFolder()
    const folder = runFolder(dir, '1')
    const lines = longRun()
    await writeFile(folder.journal, [...lines.slice(0, -1), 'no JSON\n', ...lines.slice(-1)].join(''))
    await expect(glanceAt(folder)).rejects.toThrow(
      `${join(dir, '1.log.jsonl')}:${lines.length}: the journal is damaged here.`,
    )
  })
})
