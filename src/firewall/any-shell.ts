import type { SyntaxNode } from 'unbash'

/**
 * Forms that bash reads in one way and a plain sh in another: `$'\\'` ends its quotes, `[[ a || b ]]` runs b,
 * `((a - b))` runs a, and `a &>f b` runs a in the background and b as well.
 */
const ofBash: ReadonlySet<SyntaxNode['type']> = new Set([
  ...(['AnsiCQuoted', 'LocaleString', 'ProcessSubstitution', 'ExtendedGlob', 'BraceExpansion'] as const),
  ...(['HereString', 'ArrayValue', 'FileDescriptorVariable', 'Select', 'Coproc', 'ArithmeticFor'] as const),
  ...(['TestCommand', 'ArithmeticCommand', 'ArithmeticCommandExpansion'] as const),
])

export function isSameInAnyShell(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Redirect':
      return !node.operator.startsWith('&')
    case 'HereDocDelimiter':
      return !node.text.includes('$')
    case 'Pipeline':
      return !node.operators.includes('|&')
    default:
      return !ofBash.has(node.type)
  }
}
