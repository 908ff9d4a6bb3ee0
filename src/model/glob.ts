/**
 * Write scopes: `docs/plans/` is everything below, `**` everything, `*` within one folder, `?` one character.
 * A pattern without any of these is one exact path.
 */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toRegExp(pattern).test(path))
}

const compiled = new Map<string, RegExp>()

function toRegExp(pattern: string): RegExp {
  const known = compiled.get(pattern)
  if (known) return known
  const made = new RegExp(`^${source(pattern.endsWith('/') ? `${pattern}**` : pattern)}$`, 'su')
  compiled.set(pattern, made)
  return made
}

function source(pattern: string): string {
  return pattern
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => wildcards[part] ?? part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('')
}

const wildcards: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}
