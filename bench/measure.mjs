// How numbers are taken: a clean environment, interleaved rounds, one discarded warm-up, medians with their range.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// As on a machine where the program was started before: what V8 made of it is kept.
const caches = mkdtempSync(join(tmpdir(), 'baton-bench-cache-'))
process.once('exit', () => rmSync(caches, { recursive: true, force: true }))

/**
 * The options by which Node loads a file of this folder before anything else. One that is loaded while Baton is timed
 * is a script: for a module Node 20 would first set up its loader of modules, 7 ms that Baton does without.
 */
export function preloading(name) {
  return [name.endsWith('.cjs') ? '--require' : '--import', fileURLToPath(new URL(name, import.meta.url))]
}

/** The whole environment of everything measured. `NODE_EXTRA_CA_CERTS` alone costs 60 to 120 ms per Node 20 start. */
export function cleanEnvironment(home) {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_CACHE_HOME: caches,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
}

/**
 * Runs every side once per round, in turn, so that a machine that becomes slower becomes slower for all of them.
 * The first round is thrown away. `prepare` is not timed; what it returns is handed to `act`. The first side is the
 * floor: every side has its `ratio` to what the floor took in the same round.
 */
export async function interleave(sides, rounds) {
  const samples = sides.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, { prepare, act, after }] of sides.entries()) {
      const prepared = await prepare?.(round)
      const cpuBefore = cpuOfChildren()
      const startedAt = performance.now()
      await act(prepared)
      const wallMs = performance.now() - startedAt
      const cpuMs = cpuOfChildren() - cpuBefore
      await after?.(prepared)
      if (round >= 0) samples[index].push({ wallMs, cpuMs })
    }
  }
  return samples.map((side) => summarize(side, samples[0]))
}

/**
 * CPU is a mean: the kernel counts it in steps of 10 ms, and a median of such steps would jump. The ratio is the median
 * of the rounds' own: where the machine is slow for half of the rounds, the medians of two sides may come from different
 * halves.
 */
function summarize(samples, floor) {
  const walls = samples.map(({ wallMs }) => wallMs)
  const cpus = samples.map(({ cpuMs }) => cpuMs)
  return {
    ...spread(walls),
    ratio: spread(walls.map((wallMs, round) => wallMs / floor[round].wallMs)),
    cpu: cpus.reduce((sum, one) => sum + one, 0) / cpus.length,
    rounds: walls.length,
  }
}

export function spread(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return { median: quantile(sorted, 0.5), min: sorted[0], max: sorted.at(-1) }
}

export function quantile(sorted, part) {
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)]
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at))
}

/** User and system time of all processes that we have waited for, and that they have waited for. NaN off Linux. */
function cpuOfChildren() {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    // Not Linux: wall time is all there is.
    return Number.NaN
  }
}

/** Runs a command to its end; what it prints is only kept to tell why it failed. */
export async function run(argv, { cwd, env, onSpawn, mayFail = false }) {
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const stop = onSpawn?.(child.pid)
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exit, signal) => resolve(exit ?? signal))
  })
  stop?.()
  const text = Buffer.concat(output).toString()
  if (code !== 0 && !mayFail) throw new Error(`${argv.join(' ')} ended with ${code}\n${text.slice(-2000)}`)
  return text
}
