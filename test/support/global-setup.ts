import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const stamp = join(root, 'dist', '.built')

/** The tests start real programs from dist: what they start is what was built from the source as it is now. */
export function setup(): void {
  const before = new Date()
  if (newestSource() <= builtAt()) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  writeFileSync(stamp, '')
  utimesSync(stamp, before, before)
}

function newestSource(): number {
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}

function builtAt(): number {
  return statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
