import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'

/** Who says that something was done has changed something besides the workflow's own documents. */
export function changedSomething({ stepChanges, documents }: GateFacts): Judgement {
  const isDocument = (path: string): boolean =>
    documents.some((own) => path === own || path.startsWith(own.endsWith('/') ? own : `${own}/`))
  const work = stepChanges.filter((path) => !isDocument(path))
  if (work.length > 0) return met(`${counted(work.length, 'path')} changed: ${listed(work)}`)
  return unmet('nothing was changed')
}
