const mostShown = 20

/** Names for a sentence; a long list is cut and counted, since facts are kept in the journal. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostShown).map((name) => `'${name}'`)
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
