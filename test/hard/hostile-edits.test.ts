// Whatever an answer holds, the engine writes all of its files or none, and never anything but the listed ones.
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { rm } from '../../src/platform/quick-files.ts'
import { applyEdits } from '../../src/steps/apply-edits.ts'
import type { AppliedEdits } from '../../src/steps/apply-edits.ts'
import { makeFolder, writeFiles } from '../support/git.ts'
import { listingOf } from '../support/tree-listing.ts'

const artifacts = [
  'src/stats.py',
  'src/new.py',
  'docs/é.md',
  'deep/er/still/file.txt',
  'link/inside.py',
  'tests/test_old.py',
]

/** A worktree with traps around it: what they lead to must stay as it is. */
async function makeTraps(): Promise<string> {
  const outer = await makeFolder()
  await writeFiles(outer, {
    'outside/inside.py': 'outside\n',
    'worktree/README.md': 'readme\n',
    'worktree/workspace/src/stats.py': 'old\n',
    'worktree/workspace/src/other.py': 'not listed\n',
    'worktree/workspace/tests/test_old.py': 'def test(): pass\n',
    'worktree/.git': 'gitdir: elsewhere\n',
  })
  await symlink('../../outside', join(outer, 'worktree/workspace/link'))
  await chmod(join(outer, 'worktree/workspace/src/stats.py'), 0o755)
  return outer
}

interface Trapped {
  /** The folder that an answer may write to. */
  readonly workspace: string
  readonly apply: (edits: Json, mayWrite?: readonly string[]) => Promise<AppliedEdits>
  readonly expectUntouched: () => Promise<void>
  /** Back to the beginning, for the next answer. */
  readonly reset: () => Promise<void>
}

/** Made anew for every try of a test: one that was given up may still be writing into its own. */
async function trapped(): Promise<Trapped> {
  const traps = await makeTraps()
  const workspace = join(traps, 'worktree/workspace')
  const everything = { without: [] }
  const pristine = await listingOf(traps, everything)
  const expectUntouched = async (): Promise<void> =>
    expect(await listingOf(traps, everything)).toEqual(pristine)
  return {
    workspace,
    expectUntouched,
    apply: (edits, mayWrite = artifacts) =>
      applyEdits(edits, {
        ...{ worktree: join(traps, 'worktree'), folder: 'workspace', mayWrite, testsReadOnly: true },
        content: 200_000,
        putBack: async () => {
          throw new Error('nothing was to be put back')
        },
      }),
    async reset() {
      for (const path of ['src/new.py', 'docs', 'deep']) {
        await rm(join(workspace, path), { recursive: true, force: true })
      }
      await writeFile(join(workspace, 'src/stats.py'), 'old\n')
      await expectUntouched()
    },
  }
}

const odd = [
  ...[
    '',
    '.',
    '..',
    '/',
    '//',
    '/etc/passwd',
    '../outside/x',
    'src/../../outside/x',
    'src/./stats.py',
    './src/stats.py',
  ],
  ...[
    'src//stats.py',
    'src/stats.py/',
    'src/stats.py/x',
    'src',
    'SRC/stats.py',
    'src/STATS.PY',
    'docs/e\u0301.md',
  ],
  ...[
    'docs/É.md',
    '.git',
    '.git/config',
    '.GIT/x',
    'git~1/x',
    '.g\u200Bit/x',
    'NUL',
    'src/con.py',
    'aux',
    'COM1.txt',
  ],
  ...[
    'link',
    'link/inside.py',
    'C:\\x',
    'c:/x',
    '\\\\host\\share',
    'src\\stats.py',
    'src/a\0b',
    'src/stats.py\0',
    'a\nb',
  ],
  ...[
    'src/stats.py ',
    'src/stats.py.',
    ' src/stats.py',
    'src/*.py',
    '**',
    'src/?.py',
    '\uD800',
    '\u202Esrc/stats.py',
  ],
  ...[
    '.baton/config.yaml',
    'x'.repeat(300),
    'a/'.repeat(600),
    'tests/test_old.py',
    'tests/test_new.py',
    '__proto__',
  ],
  ...['src/other.py', '~/.ssh/config', '$HOME/x', '%2e%2e/x', 'src/stats.py:stream', 'constructor'],
]

const path = fc.oneof(
  fc.constantFrom(...artifacts),
  fc.constantFrom(...odd),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(fc.constantFrom('..', '.', 'src', 'link', 'outside', '', 'stats.py'), { maxLength: 6 })
    .map((parts) => parts.join('/')),
  fc.constantFrom(...artifacts).map((one) => one.toUpperCase()),
  fc.constantFrom(...artifacts).map((one) => one.normalize('NFD')),
)

const content = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', '\0', '\uD800', 'x'.repeat(200_000), 'x'.repeat(200_001), '😀'.repeat(200_000), '\r\n'),
)

const edit = fc.oneof(
  { weight: 8, arbitrary: fc.record({ path, content }) },
  { weight: 1, arbitrary: fc.record({ path, content, mode: fc.constant('120000') }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(
      null,
      1,
      'src/stats.py',
      [],
      {},
      { path: 1, content: '' },
      { path: 'src/new.py' },
    ),
  },
)

const answer = fc.oneof(
  { weight: 5, arbitrary: fc.array(edit, { maxLength: 5 }) },
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(fc.constantFrom(...artifacts), { maxLength: 4 })
      .map((paths) => paths.map((one) => ({ path: one, content: `new ${one}` }))),
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, 'src/stats.py', {}, 7) },
)

describe('an answer with files', () => {
  it('R003-51, R003-56, R003-85, R003-87: whatever it holds, all of its listed files are written or nothing is', async () => {
    const { workspace, apply, expectUntouched, reset } = await trapped()
    let answers = 0
    let applied = 0
    await fc.assert(
      fc.asyncProperty(answer, async (given) => {
        answers += 1
        const result = await apply(given)
        if (result.type === 'refused') {
          await expectUntouched()
          return
        }
        applied += 1
        const written = given as { path: string; content: string }[]
        expect(result.paths).toEqual(written.map((one) => one.path))
        for (const one of written) {
          expect(artifacts).toContain(one.path)
          expect(await readFile(join(workspace, one.path), 'utf8')).toBe(one.content)
        }
        await reset()
      }),
      // Every answer is some fifty files read and written: on a slow disk as many as there is time for.
      { numRuns: 1500, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: false },
    )
    expect(answers).toBeGreaterThan(150)
    expect(applied).toBeGreaterThan(20)
  })

  it.each(odd.map((one) => [one]))(
    'R003-87: with the path %j writes nothing, although another of its files is fine',
    async (one) => {
      const { apply, expectUntouched } = await trapped()
      const isListed = artifacts.includes(one) && one !== 'tests/test_old.py' && !one.startsWith('link')
      const result = await apply([
        { path: 'src/new.py', content: 'fine' },
        { path: one, content: 'x' },
      ])
      expect([isListed, result.type]).toEqual([false, 'refused'])
      await expectUntouched()
    },
  )

  it.each(odd.map((one) => [one]))(
    'R003-87: is refused for the path %j also where everything may be written',
    async (one) => {
      const harmless = [
        'SRC/stats.py',
        'src/STATS.PY',
        'docs/e\u0301.md',
        'docs/É.md',
        'tests/test_new.py',
        '__proto__',
        'src/other.py',
        'constructor',
        '~/.ssh/config',
        '$HOME/x',
        '%2e%2e/x',
      ]
      if (harmless.includes(one)) return
      const { apply, expectUntouched } = await trapped()
      expect(await apply([{ path: one, content: 'x' }], ['**'])).toMatchObject({ type: 'refused' })
      await expectUntouched()
    },
  )

  it('R003-56: with 10,000 edits is refused where one of them is not listed, and written where all are', async () => {
    const { workspace, apply, expectUntouched, reset } = await trapped()
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      path: `deep/${index}.txt`,
      content: `${index}`,
    }))
    const paths = many.map((one) => one.path)
    expect(await apply(many, paths.slice(1))).toMatchObject({ type: 'refused' })
    expect(await apply([...many, { path: 'deep/7.TXT', content: '' }], ['**'])).toMatchObject({
      type: 'refused',
    })
    expect(await apply([...many, { path: 'deep/7.txt/x', content: '' }], ['**'])).toMatchObject({
      type: 'refused',
    })
    await expectUntouched()
    expect(await apply(many, paths)).toMatchObject({ type: 'applied' })
    expect(await readFile(join(workspace, 'deep/9999.txt'), 'utf8')).toBe('9999')
    await reset()
  })

  it('R003-26, R003-86: makes the folders that its files need, and none for a file that it may not write', async () => {
    const { apply, expectUntouched, reset } = await trapped()
    expect(await apply([{ path: 'deep/er/still/file.txt', content: 'x' }])).toMatchObject({ type: 'applied' })
    await reset()
    expect(await apply([{ path: 'other/file.txt', content: 'x' }])).toMatchObject({ type: 'refused' })
    await expectUntouched()
  })

  it('R003-87: is refused where the workspace itself is a link that leads out', async () => {
    const outer = await makeFolder()
    await mkdir(join(outer, 'worktree'))
    await mkdir(join(outer, 'elsewhere'))
    await symlink('../elsewhere', join(outer, 'worktree/workspace'))
    const order = {
      worktree: join(outer, 'worktree'),
      folder: 'workspace',
      mayWrite: ['a'],
      testsReadOnly: false,
    }
    const result = await applyEdits([{ path: 'a', content: 'x' }], { ...order, putBack: async () => {} })
    expect(result).toEqual({ type: 'refused', problem: "'a' lies below workspace, which is a symbolic link" })
    expect(await listingOf(join(outer, 'elsewhere'))).toEqual({})
  })
})
