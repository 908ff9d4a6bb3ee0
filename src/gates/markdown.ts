/** The lines below a heading that begins with the title, up to the next heading of the first or second level. */
export function sectionOf(text: string, title: string): readonly string[] | undefined {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((line) => headingOf(line)?.toLowerCase().startsWith(title.toLowerCase()))
  if (start === -1) return undefined
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => headingOf(line) !== undefined && !/^#{3,}/.test(line))
  return rest.slice(0, end === -1 ? undefined : end)
}

function headingOf(line: string): string | undefined {
  const [, title] = /^#{1,6}\s+(?:\d+[.)])?(.*)$/.exec(line) ?? []
  return title?.trim() || undefined
}
