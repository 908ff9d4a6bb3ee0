// What the documents tell people to type, taken out of them. A comment above a block says what is special about it:
//   <!-- not run: <why> -->   <!-- file: <path> -->   <!-- in: <world> -->   <!-- exit <code> -->   (the last two also together)
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './source-files.ts'

/** Blocks that are typed one after the other, in one shell. */
export interface Session {
  readonly document: string
  /** Empty: that of the document. */
  readonly world: string
  readonly script: string
}

interface Block {
  readonly notes: string
  readonly language: string
  readonly text: string
}

export function sessionsIn(document: string): Session[] {
  const sessions: { document: string; world: string; script: string }[] = []
  for (const block of blocksIn(readFileSync(join(root, document), 'utf8'))) {
    const world = /\bin: ([^,]+)/.exec(block.notes)?.[1]?.trim()
    if (world !== undefined || sessions.length === 0)
      sessions.push({ document, world: world ?? '', script: '' })
    const session = sessions.at(-1)
    if (session) session.script += typedFor(block)
  }
  return sessions.filter(({ script }) => script !== '')
}

/** Those without a reason to be left out are typed: there is no third kind. */
function blocksIn(text: string): Block[] {
  const fenced = /(?:^<!-- (.+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm
  return [...text.matchAll(fenced)].map(([, notes = '', language = '', inner = '']) => ({
    ...{ notes, language, text: inner },
  }))
}

function typedFor({ notes, language, text }: Block): string {
  const file = /^file: (\S+)$/.exec(notes)?.[1]
  if (file !== undefined)
    return `mkdir -p "$(dirname ${file})"\ncat > ${file} <<'END OF FILE'\n${text}END OF FILE\n`
  if (language !== 'sh' || notes.startsWith('not run: ')) return ''
  const code = /\bexit (\d+)/.exec(notes)?.[1]
  return code === undefined ? text : `allowed="$usual ${code}"\n${text}allowed=$usual\n`
}
