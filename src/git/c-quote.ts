/** Between double quotes, with escapes as in C: how git's own files hold a name of any bytes. */
export function cQuote(name: string | Buffer): string {
  return `"${Buffer.from(name)
    .toString('latin1')
    .replaceAll(/["\\]|[^\x20-\x7e]/g, escape)}"`
}

function escape(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/** A line of a gitattributes file for one path. */
export function attributeLine(path: string | Buffer, attributes: readonly string[]): string {
  const literal = Buffer.from(path)
    .toString('latin1')
    .replaceAll(/[\\*?[]/g, String.raw`\$&`)
  return `${cQuote(Buffer.from(`/${literal}`, 'latin1'))} ${attributes.join(' ')}\n`
}
