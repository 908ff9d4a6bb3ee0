import { stat } from 'node:fs/promises'
import { unlessMissing } from '../platform/errno.ts'
import { readHead, readTail } from '../platform/files.ts'
import type { CheckReport } from './check-report.ts'

/** Of each tool a prompt holds so many characters from the beginning and from the end; the file has all of it. */
const fromTheBeginning = 1500
const fromTheEnd = 4500

/** What a file says, cut in the middle where it is too long, with a line that says so. */
export async function cutOutput(file: string): Promise<string> {
  const size = (await unlessMissing(stat(file)))?.size ?? 0
  if (size === 0) return ''
  if (size <= fromTheBeginning + fromTheEnd) return (await readHead(file, size)).trim()
  const [head, tail] = await Promise.all([readHead(file, fromTheBeginning), readTail(file, fromTheEnd)])
  return `${head.trimEnd()}\n[... ${size - fromTheBeginning - fromTheEnd} bytes left out here ...]\n${tail.trim()}`
}

/** What the tools really said, for a prompt: a reviewer has no need to believe anybody. */
export function toolSection(reports: readonly CheckReport[]): string {
  const parts = reports.map((report) => {
    const head = `### ${report.name} (${endOf(report)})`
    return report.tail === '' ? head : `${head}\n${report.tail}`
  })
  return parts.length === 0 ? 'No tool of the project was found.' : parts.join('\n\n')
}

function endOf({ name, exit_code: code, label, reason }: CheckReport): string {
  if (code !== undefined) return `exit code ${code}`
  return label === 'missing' ? `${name} not available` : (reason ?? label)
}
