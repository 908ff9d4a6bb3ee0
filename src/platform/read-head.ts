import { open } from 'node:fs/promises'
import { unlessMissing } from './errno.ts'

/** The beginning of a text file, with a word about what was left out; undefined where there is no file. */
export async function readHead(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await unlessMissing(open(path, 'r'))
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(Math.min(size, maxBytes))
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    const text = head.subarray(0, bytesRead).toString('utf8')
    return size > maxBytes ? `${text}\n[... ${size - maxBytes} more bytes in ${path}]` : text
  } finally {
    await file.close()
  }
}
