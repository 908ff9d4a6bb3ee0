import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'

/** Who says that something was done has changed something besides the workflow's own documents. */
export function stepChanged({ stepChanges, documents }: GateFacts): Judgement {
  const paths = stepChanges.map(({ path }) => path)
  const work = besidesDocuments(paths, documents)
  if (work.length > 0) return met(`${counted(work.length, 'path')} changed: ${listed(work)}`)
  return unmet('nothing was changed')
}

/** Without the workflow's own files and folders: a ticked box is no work. */
export function besidesDocuments(paths: readonly string[], documents: readonly string[]): string[] {
  const isDocument = (path: string): boolean =>
    documents.some((own) => path === own || path.startsWith(own.endsWith('/') ? own : `${own}/`))
  return paths.filter((path) => !isDocument(path))
}
