import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import { loadCached } from './code-cache.ts'

const wrapped = (body: string): string => `(function (require, module, exports, packageUrl) { ${body} })\n`
const program = wrapped(
  `exports.add = (a, b) => a + b; exports.join = require('node:path').join; exports.at = packageUrl`,
)

interface Program {
  readonly add: (a: number, b: number) => number
  readonly join: typeof join
  readonly at: string
}

describe('a program with a code cache', () => {
  it('exports what its file exports, with the modules of Node and the place it was given', async () => {
    const { load } = await place()
    const { exports } = load()
    expect(exports.add(1, 2)).toBe(3)
    expect(exports.join('a', 'b')).toBe('a/b')
    expect(exports.at).toMatch(/^file:.*main\.js$/)
  })

  it('is compiled once: what was kept is used by the next start, which has nothing to keep', async () => {
    const { load } = await place()
    const first = load()
    first.exports.add(1, 2)
    first.keep?.()
    const second = load()
    expect(second.exports.add(2, 2)).toBe(4)
    expect(second.keep).toBeUndefined()
  })

  it('has a cache for each command, for none but the owner', async () => {
    const { dir, load } = await place()
    load({ name: 'run' }).keep?.()
    expect(load({ name: 'runs' }).keep).toBeDefined()
    const [folder = ''] = readdirSync(join(dir, 'cache'))
    expect(statSync(join(dir, 'cache', folder)).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'cache', folder, 'run')).mode & 0o777).toBe(0o600)
  })

  it('of another text of the same length, under another name, never takes the code of the first', async () => {
    const { dir, load } = await place()
    load().keep?.()
    writeFileSync(join(dir, 'program-2.cjs'), program.replace('a + b', 'a * b'))
    expect(load({ file: 'program-2.cjs' }).exports.add(3, 4)).toBe(12)
  })

  it.each([
    ['is cut off', (file: string) => writeFileSync(file, 'half')],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['others can write', (file: string) => chmodSync(file, 0o666)],
  ])('does not trust a cache that %s, and makes it anew', async (_, spoil) => {
    const { dir, load } = await place()
    load().keep?.()
    const [folder = ''] = readdirSync(join(dir, 'cache'))
    const file = join(dir, 'cache', folder, 'run')
    expect(loadElsewhere(dir)).toEqual({ sum: 3, keeps: false })
    spoil(file)
    expect(loadElsewhere(dir)).toEqual({ sum: 3, keeps: true })
    expect(loadElsewhere(dir)).toEqual({ sum: 3, keeps: false })
  })

  it('works where nothing can be kept: no folder, or one that cannot be made', async () => {
    const { dir, load } = await place()
    expect(load({ cacheDir: undefined }).keep).toBeUndefined()
    writeFileSync(join(dir, 'a-file'), '')
    const { exports, keep } = load({ cacheDir: join(dir, 'a-file') })
    keep?.()
    expect(exports.add(1, 2)).toBe(3)
  })

  it('comes to an end where the system makes no folder', async () => {
    const { dir } = await place()
    expect(loadElsewhere(dir, '/proc/gone/deep')).toEqual({ sum: 3, keeps: true })
  })

  it.runIf(process.getuid?.() === 0)('leaves nothing in the home of somebody else', async () => {
    const { dir, load } = await place()
    const home = join(dir, 'home')
    mkdirSync(home)
    chownSync(home, 1000, 1000)
    const { exports, keep } = load({ cacheDir: join(home, '.cache/baton') })
    keep?.()
    expect(exports.add(1, 2)).toBe(3)
    expect(readdirSync(home)).toEqual([])
  })

  it('throws away what versions of more than a month ago have left', async () => {
    const { dir, load } = await place()
    load().keep?.()
    const [old = ''] = readdirSync(join(dir, 'cache'))
    utimesSync(join(dir, 'cache', old), 1, 1)
    writeFileSync(join(dir, 'program-2.cjs'), program)
    load({ file: 'program-2.cjs' }).keep?.()
    expect(readdirSync(join(dir, 'cache'))).toEqual([expect.stringMatching(/^program-2/)])
  })

  it('throws away nothing but that, however old: who keeps a folder there keeps it', async () => {
    const { dir, load } = await place()
    const others = ['notes', 'program-1.cjs', 'my-program-1.cjs-7', 'program-1.cjs-7.bak']
    for (const name of others) {
      mkdirSync(join(dir, 'cache', name), { recursive: true })
      utimesSync(join(dir, 'cache', name), 1, 1)
    }
    symlinkSync('/nonexistent', join(dir, 'cache', 'z-link'))
    load().keep?.()
    expect(readdirSync(join(dir, 'cache'))).toEqual(expect.arrayContaining(others))
  })
})

/** In a process of its own: V8 does not look at a cache for a text that it has compiled already. */
function loadElsewhere(dir: string, cacheDir = join(dir, 'cache')): unknown {
  const module = new URL('../../dist/platform/code-cache.js', import.meta.url)
  const options = {
    file: join(dir, 'program-1.cjs'),
    url: pathToFileURL(join(dir, 'main.js')).href,
    cacheDir,
    name: 'run',
  }
  const code = `import { loadCached } from '${module.href}'
    const { exports, keep } = loadCached(${JSON.stringify(options)})
    console.log(JSON.stringify({ sum: exports.add(1, 2), keeps: keep !== undefined }))
    keep?.()`
  const how = { encoding: 'utf8', timeout: 20_000 } as const
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], how))
}

async function place() {
  const dir = await makeFolder()
  writeFileSync(join(dir, 'program-1.cjs'), program)
  const load = ({
    file = 'program-1.cjs',
    name = 'run',
    ...rest
  }: { file?: string; name?: string; cacheDir?: string | undefined } = {}) =>
    loadCached<Program>({
      file: join(dir, file),
      url: pathToFileURL(join(dir, 'main.js')).href,
      cacheDir: 'cacheDir' in rest ? rest.cacheDir : join(dir, 'cache'),
      name,
    })
  return { dir, load }
}
