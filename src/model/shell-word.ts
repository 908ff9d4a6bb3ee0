/** A path or a name as one word of a command that a person will type: as it is, or in quotes where a shell needs them. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
