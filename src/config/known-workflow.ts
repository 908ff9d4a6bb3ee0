import { basename, extname } from 'node:path'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { sha256Of } from '../platform/files.ts'
import { packageFile } from '../platform/package-file.ts'
import { readIfFile } from './find-files.ts'
import type { FoundFile } from './find-files.ts'

/** A built-in workflow as it was read and checked when the program was built, and the digest of the text it was read from. */
interface KnownWorkflow {
  readonly sha256: string
  readonly file: WorkflowFile
}

/** To read and check our own file at every start costs 0.1 s. Undefined for any other text: that is read the long way. */
export async function knownWorkflow(source: FoundFile): Promise<WorkflowFile | undefined> {
  if (source.layer !== 'built-in') return undefined
  const text = await readIfFile(knownPath(source))
  if (text === undefined) return undefined
  const known = JSON.parse(text) as KnownWorkflow
  return known.sha256 === sha256Of(source.text) ? known.file : undefined
}

/** Written by build/known-workflows.mjs. */
export function knownPath({ path }: Pick<FoundFile, 'path'>): string {
  return packageFile(`dist/workflows/${basename(path, extname(path))}.json`)
}
