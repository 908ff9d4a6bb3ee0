import { relative } from 'node:path'
import { writeFileAtomic } from '../platform/files.ts'
import type { Offer, Offered } from './forge.ts'
import { shellWord } from '../model/shell-word.ts'

export interface LocalOffer extends Offer {
  readonly file: string
  readonly root: string
}

/** Where there is no forge the pull request is a file, with the command that merges it. */
export async function offerLocally(offer: LocalOffer): Promise<Offered> {
  const { file, root, title, body, branch, base } = offer
  const merge = `git switch ${shellWord(base)} && git merge --no-ff ${shellWord(branch)}`
  await writeFileAtomic(file, `# ${title}\n\n\`\`\`sh\n${merge}\n\`\`\`\n\n${body}`)
  return { number: 0, url: relative(root, file), isNew: true, notes: [] }
}
