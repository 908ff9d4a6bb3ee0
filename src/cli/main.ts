#!/usr/bin/env node
import { argv, exit, stderr, stdout } from 'node:process'

const words = argv.slice(2)

// Answered without loading anything else: editors and scripts ask for it all the time.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  const { version } = await import('./version.ts')
  stdout.write(`${version()}\n`)
} else {
  const { main } = await import('./run-program.ts')
  const code = await main(words, { stdout, stderr })
  if (code !== 0) exit(code)
}
