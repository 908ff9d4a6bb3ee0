// What was kept of a run can be listed, and had back in a folder of its own.
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { gitIn } from '../support/git.ts'
import { listingOf } from '../support/tree-listing.ts'
import { baton, refusalOf, smallProject, tracesIn } from './baton.ts'

/** Leaves a binary file and a program behind, then crashes. */
const crashes = `steps:
  work:
    - runs: [[sh, -c, "printf 'a\\\\000b' > half.bin; echo run > half.sh; chmod +x half.sh; ln -s half.sh link"]]
      ends: { exit: 3 }
`

describe('baton restore', () => {
  let root = ''
  beforeAll(async () => {
    const project = await smallProject(crashes, '  - { id: check, check: tests }\n')
    root = project.root
    await baton(root, ['run', 'Write the work', '--script', project.script])
  })

  test('lists the snapshots of a run: number, time, step, how much differs, what it is', async () => {
    const { stdout, code } = await baton(root, ['restore', '1'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^N +WHEN +STEP +FILES +WHAT\n1 +\d{4}-\d\d-\d\d [\d:]{8} +work#1 +3 +WORKER: work failed \(crash\), undone\n/,
    )
    expect(stdout).toMatch(/\nGet one back: baton restore 1 <n> --into <dir>\n$/)
    const [first] = JSON.parse((await baton(root, ['restore', '1', '--json'])).stdout) as unknown[]
    expect(first).toMatchObject({
      ...{ number: 1, ref: 'refs/baton/1/1', step: 'work#1', files_changed: 3, bytes_beside: 0 },
      commit: await gitIn(root, 'rev-parse', 'refs/baton/1/1'),
    })
  })

  test('show names the newest snapshots and the command', async () => {
    const { stdout } = await baton(root, ['show', '1'])
    expect(stdout).toMatch(/\nSnapshots\n {2}N .*\n {2}1 .*work#1/)
    expect(stdout).toContain('  Get one back: baton restore 1 <n> --into <dir>\n')
  })

  test('writes the files of one into a new folder, and changes nothing else', async () => {
    const before = await tracesIn(root)
    const into = join(root, '..', 'back')
    const { stdout, code } = await baton(root, ['restore', '1', '1', '--into', '../back'])
    expect(code).toBe(0)
    expect(stdout).toBe(`Wrote 7 files of snapshot 1 (WORKER: work failed (crash), undone) into ${into}\n`)
    const listing = await listingOf(into)
    expect(listing).toMatchObject({ link: 'link to half.sh' })
    expect(listing['half.sh']).toMatch(/^program /)
    expect(await readFile(join(into, 'half.bin'))).toEqual(Buffer.from('a\0b'))
    expect(await tracesIn(root)).toEqual(before)
    expect(await readdir(join(root, '.baton', 'runs', '1'))).not.toContainEqual(
      expect.stringMatching(/^restore-/),
    )
  })

  test('takes an empty folder, and refuses one with something in it, a file, and a git directory', async () => {
    const around = join(root, '..')
    await mkdir(join(around, 'empty'))
    expect((await baton(root, ['restore', '1', '1', '--into', '../empty'])).code).toBe(0)
    await mkdir(join(around, 'full'))
    await writeFile(join(around, 'full', 'mine.txt'), 'mine')
    await writeFile(join(around, 'file'), 'mine')
    await symlink(join(root, '.git'), join(around, 'link'))
    const refused = [
      ['../full', 'is not empty'],
      ['../file', 'is not a folder'],
      ['.git/back', 'is inside a git directory'],
      ['../link/deep/back', 'is inside a git directory'],
    ] as const
    for (const [into, why] of refused) {
      const { error, next } = refusalOf(await baton(root, ['restore', '1', '1', '--into', into]))
      expect(error).toBe(`${join(root, into)} ${why}: nothing was written.`)
      expect(next).toMatch(/baton restore 1 1 --into \.\.\/restored-1$/)
    }
    expect(await listingOf(join(around, 'full'))).toEqual({
      'mine.txt': expect.stringMatching(/^file /) as string,
    })
  })

  test('says what is missing: the number, the folder', async () => {
    expect(refusalOf(await baton(root, ['restore', '1', '99', '--into', '../other']))).toEqual({
      ...{ error: "Run 1 has no snapshot '99'.", next: expect.stringMatching(/^baton restore 1 /) as string },
    })
    expect(refusalOf(await baton(root, ['restore', '1', '1'])).next).toBe(
      'baton restore 1 1 --into ../restored-1',
    )
  })
})
