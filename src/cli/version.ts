import { readFileSync } from 'node:fs'

/** From package.json, so that it is said in one place. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
