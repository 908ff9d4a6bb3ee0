import type { Json } from '../model/json.ts'

const shapes = [
  /\bsk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\bxox[abpr]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
]

/** How each of these begins. Nearly every text has none of them, and this is asked of every key of a long journal. */
const beginnings = /sk-|gh[pousr]_|github_pat_|glpat-|AIza|AKIA|xox[abpr]-|eyJ|-----BEGIN/

const hidden = '[redacted]'

/** Values of the environment that are secrets by their name: they must not be written anywhere, whatever their shape. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const isSecret = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i.test(name)
    return isSecret && value !== undefined && value.length >= 8 ? [value] : []
  })
}

/** Takes known secrets and things shaped like keys out of a value before it is written to the journal. */
export function redact(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return redactText(value, secrets)
  if (Array.isArray(value)) return value.map((part: Json) => redact(part, secrets))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redact(part, secrets)]))
  }
  return value
}

export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text
  // The longest first: one may begin another, and half of a secret would stay.
  const longestFirst = secrets.length < 2 ? secrets : secrets.toSorted((a, b) => b.length - a.length)
  for (const secret of longestFirst) clean = clean.replaceAll(secret, hidden)
  if (!beginnings.test(clean)) return clean
  for (const shape of shapes) clean = clean.replaceAll(shape, hidden)
  return clean
}
