// npm run bench [-- --quick] [-- --json]: what the numbers mean is in README.md.
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { measureAgents } from './agents.mjs'
import { measureFirewall } from './firewall.mjs'
import { measureGoal } from './goal.mjs'
import { measureGrowth } from './growth.mjs'
import { measureJournal } from './journal.mjs'
import { measureMemory } from './memory.mjs'
import { measureParse } from './parse.mjs'
import { measurePipelines } from './pipeline.mjs'
import { measureSnapshot } from './snapshot.mjs'
import { measureStartUp } from './start-up.mjs'
import { measureTerminal } from './terminal.mjs'
import { measureWalls } from './walls.mjs'
import { agentTables } from './tables-agents.mjs'
import { wallsTables } from './tables-walls.mjs'
import { goalTable, growthTables, snapshotTable } from './tables-growth.mjs'
import { terminalTable } from './tables-terminal.mjs'
import {
  firewallTables,
  journalTables,
  memoryTable,
  parseTables,
  pipelineTables,
  startUpTable,
} from './tables.mjs'

const words = process.argv.slice(2)
const quick = words.includes('--quick')
const only = words.filter((word) => !word.startsWith('--'))
const json = words.includes('--json')

const parts = {
  'start-up': async ({ main, dir }) => {
    const result = await measureStartUp({ main, dir, rounds: quick ? 4 : 15 })
    return { result, tables: [startUpTable(result)] }
  },
  pipeline: async ({ main, dir }) => {
    const cases = [
      { files: 0, agents: 'scripted' },
      { files: 0, agents: 'shell' },
      { files: 1000, agents: 'scripted' },
      { files: 1000, agents: 'shell' },
    ]
    const counts = quick ? { rounds: 2, cases: cases.slice(0, 2) } : { rounds: 15, cases }
    const result = await measurePipelines({ main, dir, ...counts })
    return { result, tables: pipelineTables(result) }
  },
  parse: async ({ load }) => {
    const { parseAnswer } = await load('agents/parse-answer.js')
    const sizes = quick ? [1, 10] : [1, 10, 100]
    const result = await measureParse({ parseAnswer, sizes, rounds: quick ? 3 : 5 })
    return { result, tables: parseTables(result) }
  },
  memory: async ({ main, dir }) => {
    const result = await measureMemory({
      main,
      dir,
      sizes: quick ? ['1KB', '100MB'] : ['1KB', '100MB', '1GB'],
    })
    return { result, tables: [memoryTable(result)] }
  },
  journal: async ({ dir, load }) => {
    const { openJournal } = await load('journal/open-journal.js')
    const { readJournal } = await load('journal/read-journal.js')
    const { systemClock } = await load('platform/clock.js')
    const counts = { appends: quick ? 300 : 1500, rounds: quick ? 5 : 15 }
    const result = await measureJournal({ openJournal, readJournal, clock: systemClock, dir, ...counts })
    return { result, tables: journalTables(result) }
  },
  growth: async ({ main, dir }) => {
    const counts = quick ? { items: 200, runs: 200, rounds: 3 } : { items: 1110, runs: 1000, rounds: 9 }
    const result = await measureGrowth({ main, dir, ...counts })
    return { result, tables: growthTables(result) }
  },
  terminal: async ({ main, dir }) => {
    const result = await measureTerminal({ main, dir, seconds: quick ? 10 : 60 })
    return { result, tables: [terminalTable(result)] }
  },
  goal: async ({ main, dir }) => {
    const result = await measureGoal({ main, dir, steps: quick ? 40 : 500 })
    return { result, tables: [goalTable(result)] }
  },
  snapshot: async ({ dir, load }) => {
    const sizes = quick ? [20, 2000] : [20, 2000, 20_000]
    const result = await measureSnapshot({ load, dir, sizes, rounds: quick ? 4 : 9 })
    return { result, tables: [snapshotTable(result)] }
  },
  firewall: async ({ dir, load }) => {
    const counts = quick ? { decisions: 2000, rounds: 10 } : { decisions: 20_000, rounds: 40 }
    const result = await measureFirewall({ load, dir, ...counts })
    return { result, tables: firewallTables(result) }
  },
  walls: async ({ dir, load }) => {
    const result = await measureWalls({ load, dir, files: quick ? 2000 : 20_000, rounds: quick ? 3 : 5 })
    return { result, tables: wallsTables(result) }
  },
  agents: async ({ main, dir, load }) => {
    const result = await measureAgents({ main, dir, load, only, rounds: quick ? 2 : 10 })
    return { result, tables: agentTables(result) }
  },
}

const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
try {
  await measureAll(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll(top) {
  const startedAt = performance.now()
  const built = copyBuilt(join(top, 'baton'))
  const load = (path) => import(pathToFileURL(join(built, 'dist', path)).href)
  const document = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: cpus().length,
    quick,
  }
  for (const [name, measure] of Object.entries(parts)) {
    if (only.length > 0 && !only.includes(name)) continue
    const { result, tables } = await measure({
      main: join(built, 'dist/cli/main.cjs'),
      dir: join(top, name),
      load,
    })
    document[name] = result
    if (!json) console.log(`${tables.join('\n\n')}\n`)
  }
  document.seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(JSON.stringify(document))
}

/** A copy, so that somebody who builds meanwhile does not change what is being measured. */
function copyBuilt(target) {
  const root = fileURLToPath(new URL('../', import.meta.url))
  for (const name of ['dist', 'workflows', 'package.json'])
    cpSync(join(root, name), join(target, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'))
  return target
}
