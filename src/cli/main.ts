#!/usr/bin/env node
import { hearOfLoss } from './lost-output.ts'
import { version } from './version.ts'

// The global: importing node:process opens stdin, stdout and stderr at once, 4 ms of the 45 that --version takes.
const typed = process.argv.slice(2)
// `baton --task "..."` is `baton run --task "..."`: the specification's own way of calling it (R001-136).
const everywhere = ['--json', '--plain', '--verbose']
const asksForTask = /^(--task|-t|--mode|-m)\b/.test(typed.find((word) => !everywhere.includes(word)) ?? '')
const words = asksForTask ? ['run', ...typed] : typed

// Answered without loading anything else: editors and scripts ask for it all the time.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  hearOfLoss([process.stdout])
  process.stdout.write(`${version()}\n`)
} else void run()

// In a function: what is shipped is a script, which cannot wait at its top.
async function run(): Promise<void> {
  // As Node ends a module that waits for what nobody will ever answer.
  process.once('beforeExit', () => (process.exitCode ??= 13))
  const { main } = await import('./run-program.ts')
  // Not exit(): what was written to a pipe must still arrive.
  process.exitCode = await main(words, { stdout: process.stdout, stderr: process.stderr })
}
