import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'

/** In a process of its own, for it is the end of it that counts. */
async function discardIn(folder: string, names: readonly string[]): Promise<string> {
  const here = new URL('discard.ts', import.meta.url).href
  const script = `
    const { discard } = await import(${JSON.stringify(here)})
    const { readdirSync } = await import('node:fs')
    for (const name of ${JSON.stringify(names)}) await discard(${JSON.stringify(folder)} + '/' + name)
    console.log(readdirSync(${JSON.stringify(folder)}).filter((name) => !name.endsWith('.tmp')).join())
  `
  const flags = ['--import', 'tsx', '--input-type=module', '-e', script]
  return (await promisify(execFile)(process.execPath, flags)).stdout.trim()
}

test.each([1, 8, 19])(
  'of %i folders that were discarded none is left when the process has ended',
  async (count) => {
    const folder = await makeFolder()
    const names = Array.from({ length: count }, (_, index) => `-folder ${index}`)
    for (const name of names) {
      await mkdir(join(folder, name, 'deep'), { recursive: true })
      await writeFile(join(folder, name, 'deep', 'file'), 'x')
    }
    await mkdir(join(folder, 'other'))
    expect(await discardIn(folder, [...names, 'was never there'])).toBe('other')
    expect(await readdir(folder)).toEqual(['other'])
  },
)
