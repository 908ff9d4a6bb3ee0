import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import type { FoundFile } from './find-files.ts'

/** What cannot be read was replaced by U+FFFD, and agents would be told something that nobody has written. */
export function refuseOtherEncoding({ path, text }: Pick<FoundFile, 'path' | 'text'>): void {
  const at = text.indexOf('\uFFFD')
  // Somebody may have written that very character.
  if (at === -1 || isUtf8(readFileSync(path))) return
  const lines = text.slice(0, at).split('\n')
  throw new FailureError({
    code: 'workflow.invalid',
    message: `${path}:${lines.length}:${(lines.at(-1) ?? '').length + 1}: not UTF-8`,
    next: `Save it as UTF-8 in your editor, or, if it is Latin-1: iconv -f LATIN1 -t UTF-8 ${shellWord(path)} > ${shellWord(`${path}.new`)} && mv ${shellWord(`${path}.new`)} ${shellWord(path)}`,
  })
}
