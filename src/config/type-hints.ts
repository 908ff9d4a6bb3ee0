/** What to write instead of a value of the wrong kind: the value itself in the right form, where that can be told. */
export function instead(wanted: string, value: unknown): string {
  if (wanted.startsWith('a duration') && Number.isInteger(value) && Number(value) > 0)
    return `write ${String(value)}m for minutes, ${String(value)}s for seconds or ${String(value)}h for hours`
  if (wanted.startsWith('a list of words') && typeof value === 'string' && value.trim() !== '')
    return `write ${listOf(value.trim())}`
  return `write ${wanted}`
}

/** A condition as other languages write it: `docs == yes`. Only what is equal can be asked for. */
export function conditionFor(text: string): string {
  const [, name = '', sign = '', value = ''] =
    /^\{?([A-Za-z_][\w.-]*)\}?\s*(===?|=|!=|\bis\b|:)\s*(.+)$/.exec(text.trim()) ?? []
  if (name === '' || sign === '!=')
    return `write a map of what has to be equal, such as when: { ${name || 'name'}: <value> }`
  const plain = value.replaceAll(/^(["'])(.*)\1$/g, '$2')
  return `write when: { ${name}: ${isWord(plain) ? plain : JSON.stringify(plain)} }`
}

/** What the role of a step is called by who has not read the reference. */
export function agentFor(role: unknown): string {
  return typeof role === 'string' && isWord(role) ? `write 'agent: ${role}'` : "write 'agent'"
}

function isWord(text: string): boolean {
  return /^[\w./@=+-]+$/.test(text)
}

/** What only a shell understands is given to one. */
function listOf(command: string): string {
  const words = /[|&;<>$`"'\\*?~(){}]/.test(command) ? ['sh', '-c', command] : command.split(/\s+/)
  return `[${words.map((word) => (isWord(word) ? word : JSON.stringify(word))).join(', ')}]`
}
