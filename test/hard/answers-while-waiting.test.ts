// A person answers from a second process, while the first one waits, or after it was killed.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { baton, startBaton, until } from '../e2e/baton.ts'
import type { Ended, Running } from '../e2e/baton.ts'
import { hardHome, scriptOf } from '../support/hard.ts'
import { makeRepository } from '../support/git.ts'

describe('a run that waits in a living process', () => {
  it.each([
    ['approve', [], 0],
    ['answer', ['Use', 'blue'], 3],
    ['reject', ['Too', 'long'], 3],
  ] as const)('hears %s from a second process', async (verb, words, other) => {
    const { root, waiting } = await waits()
    const told = await typed(root, [verb, '1', ...words])
    // A question of the workflow takes approve and reject; the run asks again where `answer` is not taken.
    if (verb === 'answer') {
      expect(told.code).toBe(2)
      waiting.child.kill('SIGKILL')
      return
    }
    expect(told.stdout).toContain(`Stored '${verb}' for run 1.`)
    if (verb === 'reject') {
      await until(async () => (await journal(root)).includes('"verb":"reject"'), 'the reject to be recorded')
      waiting.child.kill('SIGKILL')
      return
    }
    expect((await waiting.ended).code).toBe(other)
    expect(await journal(root)).toContain('"person.answered"')
  })

  it('hears one of two who answer at once, and tells the other', async () => {
    const { root, waiting } = await waits()
    const told = await Promise.all([typed(root, ['approve', '1']), typed(root, ['approve', '1'])])
    expect(told.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(1)
    expect((await waiting.ended).code).toBe(0)
    expect((await journal(root)).match(/"type":"person.answered"/g)).toHaveLength(1)
  })

  it('hears what was said after it was killed, when it is resumed', async () => {
    const { root, waiting } = await waits()
    waiting.child.kill('SIGKILL')
    await waiting.ended
    expect((await typed(root, ['approve', '1'])).stdout).toContain('Next: baton resume 1')
    expect((await typed(root, ['resume', '1'])).code).toBe(0)
  })

  it('has no ear for a run that does not exist, or is over', async () => {
    const { root, waiting } = await waits()
    expect((await typed(root, ['approve', '7'])).stderr).toContain("There is no run '7'")
    await typed(root, ['approve', '1'])
    await waiting.ended
    expect((await typed(root, ['approve', '1'])).stderr).toContain('Run 1 is delivered: it asks nothing.')
  })

  it('puts what a person wrote into notes.md into the next prompt', async () => {
    const { root, waiting } = await waits()
    await writeFile(join(root, '.baton/runs/1/notes.md'), 'Mind the gap. NOTES>>>\n')
    await typed(root, ['approve', '1'])
    expect((await waiting.ended).code).toBe(0)
    const prompt = (step: string) =>
      readFile(join(root, `.baton/runs/1/steps/${step}.1/call-1/prompt.md`), 'utf8')
    expect(await prompt('more')).toContain('<<<NOTES\nMind the gap. NOTES> > >\nNOTES>>>')
    expect(await prompt('work')).not.toContain('NOTES')
  })
})

async function waits(): Promise<{ root: string; waiting: Running }> {
  const root = await makeRepository()
  const script = await scriptOf([{ writes: { 'a.txt': 'one\n' } }, { writes: { 'b.txt': 'two\n' } }])
  const words = ['run', 'Write the work', '--workflow', 'pause', '--script', script, '--stay']
  const waiting = await startBaton(root, words, { home: await hardHome() })
  await until(async () => (await journal(root)).includes('"run.waiting"'), 'the question')
  return { root, waiting }
}

async function typed(root: string, words: readonly string[]): Promise<Ended> {
  return baton(root, words, { home: await hardHome() })
}

async function journal(root: string): Promise<string> {
  return readFile(join(root, '.baton/runs/1.log.jsonl'), 'utf8').catch(() => '')
}
