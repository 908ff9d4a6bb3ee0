import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted } from './listed.ts'
import { besidesDocuments } from './step-changed.ts'

/** A plan and a review of it are no work: something besides the workflow's own documents has to be different. */
export function diffNotEmpty({ branch, documents }: GateFacts): Judgement {
  const work = besidesDocuments(
    branch.map(({ path }) => path),
    documents,
  )
  if (work.length > 0) return met(`${counted(work.length, 'path')} changed on the branch`)
  return unmet("the branch changes nothing but the workflow's own documents")
}
