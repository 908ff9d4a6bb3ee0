// The most memory that the engine process ever held, in a run whose agent prints a little, and one that prints a lot.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, run } from './measure.mjs'
import { makeFixture } from './pipeline-fixture.mjs'

const workflow = `name: flood
inputs: { task: { required: true } }
roles: { talker: { title: TALKER, prompt: talker.md, capabilities: [read], timeout: { wall: 10m, idle: 5m } } }
steps: [{ id: talk, agent: talker }]
`

export async function measureMemory({ main, dir, sizes }) {
  const rows = []
  for (const size of sizes) {
    const root = join(dir, size)
    mkdirSync(root, { recursive: true })
    const env = cleanEnvironment(join(root, 'home'))
    await makeFixture(root, { env })
    write(join(root, 'home/.config/baton/workflows/flood.yaml'), workflow)
    write(join(root, 'home/.config/baton/prompts/talker.md'), 'Talk.\n')
    write(join(root, 'script.yaml'), `roles: { talker: [{ flood: ${size}, answer: { done: true } }] }\n`)
    const peak = { kilobytes: 0 }
    const startedAt = performance.now()
    await run(
      [
        process.execPath,
        main,
        'run',
        '-w',
        'flood',
        '--provider',
        'scripted',
        '--script',
        join(root, 'script.yaml'),
        'Talk',
      ],
      { cwd: join(root, 'project'), env, onSpawn: (pid) => watchPeak(pid, peak) },
    )
    rows.push({ size, peakMB: peak.kilobytes / 1024, wallMs: performance.now() - startedAt })
    rmSync(root, { recursive: true })
  }
  return { rows, limitMB: 150 }
}

/** VmHWM is the highest that the kernel has seen, so that a rare look is enough; the last one counts. */
function watchPeak(pid, peak) {
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      peak.kilobytes = Math.max(peak.kilobytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
    } catch {
      // It has just ended, or there is no /proc: then the table shows a zero.
    }
  }, 10)
  return () => clearInterval(timer)
}

function write(path, text) {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}
