import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The tests start real programs from dist: what they start is what was built from the source as it is now. */
export function setup(): void {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}
