import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { smallProject, startBaton } from '../e2e/baton.ts'

/** The step that speaks ends when somebody has read that it begins. */
const slowly = `steps:
  work: [{ answer: { status: success } }]
  more:
    - runs: [[sh, -c, "until test -f ../../go; do sleep 0.05; done"]]
      writes: { work.txt: "done\\n" }
      answer: { status: success }
`

/** A step that says when it begins and ends. */
const speaking = `  - { id: more, agent: worker, title: WORKER, says: { start: "I begin.", ok: "I have done it." } }
  - { id: deliver, do: deliver }
`

const run = (script: string): string[] => ['run', 'Do it', '--provider', 'scripted', '--script', script]

describe.concurrent('where Baton is used', () => {
  it('R001-138, R001-159, R001-160: a bot starts a task and passes on what it reads, while it happens, as plain text', async () => {
    const { root, script } = await smallProject(slowly, speaking)
    const messages: { text: string; atEnd: boolean }[] = []
    const { child, ended } = await startBaton(root, run(script))
    child.stdout?.on('data', (text: string) => {
      messages.push({ text, atEnd: child.exitCode !== null })
      writeFileSync(join(root, '..', 'go'), '')
    })
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([0, ''])
    expect(messages[0]?.text).toMatch(/^\[\d\d:\d\d:\d\d\] WORKER: I begin\.\n$/)
    expect(messages[0]?.atEnd).toBe(false)
    expect(messages[1]?.text).toMatch(/^\[\d\d:\d\d:\d\d\] WORKER: I have done it\.\n/)
    expect(messages.map(({ text }) => text).join('')).toBe(stdout)
    expect(stdout).toMatch(/^[\x20-\x7e\n]+$/)
  })
})
