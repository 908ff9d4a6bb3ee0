// The first settings of a project.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, makeRepository } from '../support/git.ts'
import { baton, documentOf } from './baton.ts'

const files = {
  'package.json': '{ "scripts": { "test": "node --test" } }\n',
  '.gitignore': 'node_modules/\n.env\n',
}

async function folderWith(tool: string): Promise<string> {
  const bin = await makeFolder()
  await writeFile(join(bin, tool), '#!/bin/sh\necho 1.0.0\n')
  await chmod(join(bin, tool), 0o755)
  return bin
}

describe('baton init', () => {
  test('writes what it found, and the settings are good', async () => {
    const repository = await makeRepository(files)
    await mkdir(join(repository, 'node_modules'))
    await writeFile(join(repository, '.env'), 'A=1\n')
    const ended = await baton(repository, ['init', '--yes', '--json'])
    expect(documentOf(ended)).toMatchObject({
      ...{ written: true, base: 'main', tests: ['npm', 'test'], provider: null },
      ...{ link: ['node_modules'], copy: ['.env'] },
    })
    const shown = await baton(repository, ['config', 'show'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('checks.tests')
  })

  test('chooses a tool that is installed and has a key', async () => {
    const repository = await makeRepository(files)
    const tool = ['cla', 'ude'].join('')
    const env = {
      PATH: `${await folderWith(tool)}:${process.env['PATH'] ?? ''}`,
      ANTHROPIC_API_KEY: 'not-a-key',
    }
    const ended = await baton(repository, ['init', '--json'], { env })
    expect(documentOf(ended)).toMatchObject({ provider: tool, login: 'key' })
    expect(await readFile(join(repository, '.baton', 'config.yaml'), 'utf8')).not.toContain('not-a-key')
  })

  test("shares a login in the user's own settings, which it writes only where there are none", async () => {
    const [home, repository] = [await makeFolder(), await makeRepository(files)]
    const ended = await baton(repository, ['init', '--yes', '--share-login'], { home })
    const own = join(home, '.config/baton/config.yaml')
    expect(ended.stdout).toContain(`shared, in ${own}`)
    const shown = await baton(repository, ['config', 'show'], { home })
    expect(shown.stdout).toContain(`share   # user (${own}:2)`)
    await writeFile(own, 'base: main\n')
    const second = await baton(await makeRepository(files), ['init', '--share-login'], { home })
    expect(second.stdout).toContain(`write 'login: share' into ${own}`)
    expect(await readFile(own, 'utf8')).toBe('base: main\n')
  })

  test('says where agents would not find git, with the line that mends it', async () => {
    const repository = await makeRepository(files)
    const env = { PATH: await makeFolder() }
    const ended = await baton(repository, ['init', '--yes'], { env })
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/\n {2}git {8}not found in PATH: export PATH=\S+:"\$PATH"\n/)
    const found = await baton(await makeRepository(files), ['init', '--yes'])
    expect(found.stdout).not.toContain('not found in PATH')
  })

  test('changes nothing where settings are', async () => {
    const repository = await makeRepository({ ...files, '.baton/config.yml': 'base: main\n' })
    const ended = await baton(repository, ['init'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('nothing was changed')
    expect(await readFile(join(repository, '.baton', 'config.yml'), 'utf8')).toBe('base: main\n')
  })
})
