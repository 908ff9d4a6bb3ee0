// A person answers from a second process, while the first one waits, or after it was killed.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { baton, startBaton, until } from '../e2e/baton.ts'
import type { Ended, Running } from '../e2e/baton.ts'
import { hardHome, scriptOf } from '../support/hard.ts'
import { makeRepository } from '../support/git.ts'

describe('a step that asks for help', () => {
  const said = [
    ['approve', ''],
    ['reject', 'The plan forgets the migration'],
    ['answer', 'Use the staging database'],
  ] as const

  it.each(said)('hears %s from a second process while the first waits', async (verb, text) => {
    const { root, waiting } = await blocked()
    expect((await typed(root, [verb, '1', ...text.split(' ').filter(Boolean)])).stdout).toContain(
      `Stored '${verb}' for run 1.`,
    )
    expect((await waiting.ended).code).toBe(0)
    await expectHeard(root, verb, text)
  })

  it.each(said)('hears %s after the first process was killed, when it is resumed', async (verb, text) => {
    const { root, waiting } = await blocked()
    waiting.child.kill('SIGKILL')
    await waiting.ended
    const told = await typed(root, [verb, '1', ...(text === '' ? [] : [text])])
    expect(told.stdout).toContain('Next: baton resume 1')
    expect((await typed(root, ['resume', '1'])).code).toBe(0)
    await expectHeard(root, verb, text)
  })

  it('does not take a rejection or an answer without words', async () => {
    const { root, waiting } = await blocked()
    for (const verb of ['reject', 'answer'])
      expect((await typed(root, [verb, '1'])).stderr).toContain(`'${verb}' needs words`)
    waiting.child.kill('SIGKILL')
  })
})

describe('a question of the workflow', () => {
  it('is told without a resume for as long as the process that asks is there', async () => {
    const { root, waiting } = await waits()
    const looks = [
      ['logs', '1', '--follow'],
      ['show', '1'],
    ]
    const told = async (): Promise<string[]> =>
      (await Promise.all(looks.map((words) => typed(root, words)))).map(({ stdout }) => stdout)
    for (const text of await told()) {
      expect(text).toContain('baton approve 1')
      expect(text).not.toContain('baton resume')
    }
    waiting.child.kill('SIGKILL')
    await waiting.ended
    for (const text of await told()) expect(text).toMatch(/[Tt]hen: baton resume 1/)
  })

  it('has no use for an answer, and says what it takes', async () => {
    const { root, waiting } = await waits()
    const told = await typed(root, ['answer', '1', 'Use', 'blue'])
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('baton approve 1') as unknown })
    waiting.child.kill('SIGKILL')
  })

  it('hears one of two who answer at once, and tells the other', async () => {
    const { root, waiting } = await waits()
    waiting.child.kill('SIGKILL')
    await waiting.ended
    const told = await Promise.all([typed(root, ['approve', '1']), typed(root, ['reject', '1', 'No'])])
    expect(told.map(({ code }) => String(code)).toSorted()).toEqual(['0', '2'])
    expect(told.find(({ code }) => code === 2)?.stderr).toContain('Run 1 has its answer already')
    const heard = told[0].code === 0 ? 'approve' : 'reject'
    await typed(root, ['resume', '1'])
    expect((await journal(root)).match(/"type":"person.answered"[^\n]*"verb":"(\w+)"/)?.[1]).toBe(heard)
  })

  it('hears one of two who answer a living process at once', async () => {
    const { root, waiting } = await waits()
    const told = await Promise.all([typed(root, ['approve', '1']), typed(root, ['approve', '1'])])
    expect(told.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(1)
    expect((await waiting.ended).code).toBe(0)
    expect((await journal(root)).match(/"type":"person.answered"/g)).toHaveLength(1)
  })

  it('has no ear for a run that does not exist, or is over', async () => {
    const { root, waiting } = await waits()
    expect((await typed(root, ['approve', '7'])).stderr).toContain("There is no run '7'")
    await typed(root, ['approve', '1'])
    await waiting.ended
    const before = await journal(root)
    for (const words of [['approve'], ['reject', 'No'], ['answer', 'Blue']]) {
      const told = await typed(root, [words[0] ?? '', '1', ...words.slice(1)])
      expect(told).toMatchObject({ code: 2, stdout: '' })
      expect(told.stderr).toContain('Run 1 is delivered: it asks nothing.')
    }
    expect(await journal(root)).toBe(before)
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
  return start('pause', [{ writes: { 'a.txt': 'one\n' } }, { writes: { 'b.txt': 'two\n' } }])
}

/** The worker cannot go on at first. */
async function blocked(): Promise<{ root: string; waiting: Running }> {
  const first = { answer: { status: 'blocked', feedback: 'Which database?' } }
  return start('helped', [first, { writes: { 'a.txt': 'one\n' }, answer: { status: 'success' } }])
}

async function start(
  workflow: string,
  does: Parameters<typeof scriptOf>[0],
): Promise<{ root: string; waiting: Running }> {
  const root = await makeRepository()
  const words = ['run', 'Write the work', '--workflow', workflow, '--script', await scriptOf(does), '--stay']
  const waiting = await startBaton(root, words, { home: await hardHome() })
  await until(async () => (await journal(root)).includes('"run.waiting"'), 'the question')
  return { root, waiting }
}

/** The words of a person are what the next round of the step is told. */
async function expectHeard(root: string, verb: string, text: string): Promise<void> {
  const answered = /"type":"person.answered"[^\n]*/.exec(await journal(root))?.[0]
  expect(answered).toContain(`"verb":"${verb}","text":"${text}"`)
  const prompt = await readFile(join(root, '.baton/runs/1/steps/work.2/call-1/prompt.md'), 'utf8')
  expect(prompt).toContain(text)
}

async function typed(root: string, words: readonly string[]): Promise<Ended> {
  return baton(root, words, { home: await hardHome() })
}

async function journal(root: string): Promise<string> {
  return readFile(join(root, '.baton/runs/1.log.jsonl'), 'utf8').catch(() => '')
}
