import { readFileSync } from 'node:fs'
import { packageFile } from '../platform/package-file.ts'

/** From package.json, so that it is said in one place. */
export function version(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
