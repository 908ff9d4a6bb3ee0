import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted } from './listed.ts'

/** A plan and a review of it are no work: something besides the workflow's own documents has to be different. */
export function diffNotEmpty({ branch, documents }: GateFacts): Judgement {
  const isDocument = (path: string): boolean =>
    documents.some((own) => path === own || path.startsWith(own.endsWith('/') ? own : `${own}/`))
  const work = branch.filter(({ path }) => !isDocument(path))
  if (work.length > 0) return met(`${counted(work.length, 'path')} changed on the branch`)
  return unmet("the branch changes nothing but the workflow's own documents")
}
