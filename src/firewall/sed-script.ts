/** Whether a sed script only prints and edits: `e`, `w` and the flags of that name run commands and write files. */
export function isPlainSed(script: string): boolean {
  let at = 0
  while (at < script.length) {
    const next = oneCommand(script, at)
    if (next === undefined) return false
    at = next
  }
  return true
}

const blank = /[\s;{}]*/y
const address =
  /(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/I?)(?:\s*,\s*(?:\+?\d+|~\d+|\$|\/(?:[^/\\\n]|\\.)*\/I?))?\s*!?\s*/y
const simple = /[pdqQ=nNDGghHxPlFz](?=[\s;}]|$)/y
const text = /[aic]\\?[^\n]*(?:\n|$)/y
const jump = /[btT:]\s*\w*(?=[\s;}]|$)/y
const reading = /r [^\n]*(?:\n|$)/y

function oneCommand(script: string, from: number): number | undefined {
  let at = matchAt(blank, script, from) ?? from
  if (at >= script.length) return at
  at = matchAt(address, script, at) ?? at
  if (script[at] === '{') return at + 1
  for (const form of [simple, text, jump, reading]) {
    const end = matchAt(form, script, at)
    if (end !== undefined) return end
  }
  return substitution(script, at)
}

function substitution(script: string, at: number): number | undefined {
  const [command, mark = ''] = [script[at], script[at + 1]]
  if ((command !== 's' && command !== 'y') || /[\w\s\\]/.test(mark) || mark === '') return undefined
  const between = String.raw`(?:[^\\${mark === ']' || mark === '^' || mark === '-' ? `\\${mark}` : mark}]|\\[\s\S])*`
  const quoted = mark.replaceAll(/[$()*+.?[\]^{|}/]/g, String.raw`\$&`)
  const form = new RegExp(
    String.raw`[sy]${quoted}${between}${quoted}${between}${quoted}[gpiIM\d]*(?=[\s;}]|$)`,
    'y',
  )
  return matchAt(form, script, at)
}

function matchAt(form: RegExp, script: string, at: number): number | undefined {
  form.lastIndex = at
  return form.test(script) ? form.lastIndex : undefined
}
