// Every shell block of the README and the guides, typed as it stands, in a project whose agents are scripted.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeCache, baton, program, smallProject } from '../e2e/baton.ts'
import { makeFolder } from '../support/git.ts'
import { sessionsIn } from '../support/shell-blocks.ts'
import { root } from '../support/source-files.ts'
import { makeQuickTill, makeShop, makeTill } from '../support/worlds.ts'
import type { World } from '../support/worlds.ts'

const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

/** Where a document begins: in the clone of Baton, with a project at home. The others begin in their project. */
const beginnings: Readonly<Record<string, () => Promise<World>>> = {
  'README.md': async () => ({ ...(await makeTill()), project: root }),
  'docs/guide/first-task.md': async () => ({ ...(await makeShop()), project: root }),
  'docs/guide/writing-a-workflow.md': async () => {
    const { home } = await makeShop()
    return { home, project: home }
  },
}

const worlds: Readonly<Record<string, () => Promise<World>>> = {
  'a shop': makeShop,
  'a till': makeQuickTill,
  'a run that asks': async () => {
    const { root: project, script } = await smallProject('roles: { worker: [{ ends: { exit: 3 } }] }')
    expect((await baton(project, ['run', 'Test', '--script', script])).code).toBe(3)
    return { home: dirname(project), project }
  },
  'a delivered run': async () => {
    const world = await makeTill()
    expect((await baton(world.project, ['bugfix', 'Test'], { home: world.home })).code).toBe(0)
    return world
  },
  'a goal out of time': async () => {
    const world = await makeShop()
    const words = ['goal', 'Every function has a test', '--time-limit', '1ms']
    expect((await baton(world.project, words, { home: world.home })).code).toBe(4)
    return world
  },
}

/** A command that fails ends it, but for a run that now waits for a person: that is how many of them end. */
const opening = (bin: string): string => `usual='0 3'
allowed=$usual
shopt -s expand_aliases
PATH='${bin}':$PATH
less() { cat "$@"; }
trap 'code=$?; case " $allowed " in *" $code "*) ;; *) echo "not as it should be: $BASH_COMMAND ($code)" >&2; exit 1 ;; esac' ERR
`

async function typed({ home, project }: World, script: string): Promise<{ failed: boolean; said: string }> {
  const bin = join(home, 'bin')
  await mkdir(bin, { recursive: true })
  const start = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
  await writeFile(join(bin, 'baton'), start, { mode: 0o755 })
  const file = join(await makeFolder(), 'blocks.sh')
  await writeFile(file, `${opening(bin)}${script}`)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: codeCache, LANG: 'C.UTF-8' }
  return new Promise((resolve) => {
    execFile('bash', [file], { cwd: project, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ failed: error !== null, said: `${stdout}\n${stderr}` })
    })
  })
}

const sessions = ['README.md', ...guides].flatMap((document) => sessionsIn(document))

describe('what the documents say to type', () => {
  test('is found', () => {
    expect(sessions.length).toBeGreaterThan(7)
  })

  test.each(sessions.map((session, at) => [session.document, session.world, at, session] as const))(
    'works: %s %s (%i)',
    async (document, world, _at, { script }) => {
      const make = world === '' ? beginnings[document] : worlds[world]
      if (!make) throw new Error(`${document} has a shell block and no world to type it in: '${world}'`)
      const { failed, said } = await typed(await make(), script)
      expect(failed, said.slice(-3000)).toBe(false)
    },
  )
})
