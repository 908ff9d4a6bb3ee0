/** What to write instead of a value of the wrong kind: the value itself in the right form, where that can be told. */
export function instead(wanted: string, value: unknown): string {
  if (wanted.startsWith('a duration') && Number.isInteger(value) && Number(value) > 0)
    return `write ${String(value)}m for minutes, ${String(value)}s for seconds or ${String(value)}h for hours`
  if (wanted.startsWith('a list of words') && typeof value === 'string' && value.trim() !== '')
    return `write ${listOf(value.trim())}`
  return `write ${wanted}`
}

/** What only a shell understands is given to one. */
function listOf(command: string): string {
  const words = /[|&;<>$`"'\\*?~(){}]/.test(command) ? ['sh', '-c', command] : command.split(/\s+/)
  return `[${words.map((word) => (/^[\w./@=+-]+$/.test(word) ? word : JSON.stringify(word))).join(', ')}]`
}
