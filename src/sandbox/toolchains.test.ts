import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolchains } from './toolchains.ts'

describe('the toolchains behind PATH', () => {
  let home: string
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-home-')))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  function put(path: string, text = ''): string {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text, { mode: 0o755 })
    return join(home, path)
  }

  function shown(...folders: string[]) {
    const path = folders.map((folder) => join(home, folder)).join(':')
    const { readable, ...rest } = toolchains({ path: `${path}:relative::/usr/bin`, home, programs: [] })
    return { ...rest, readable: readable.map((folder) => folder.slice(home.length + 1)) }
  }

  it('are whole installations: node of nvm, python of pyenv', () => {
    put('.nvm/versions/node/v20/bin/node')
    put('.pyenv/shims/python')
    expect(shown('.nvm/versions/node/v20/bin', '.pyenv/shims').readable).toEqual([
      '.nvm/versions/node/v20',
      '.pyenv',
    ])
  })

  it('never show the home itself', () => {
    put('bin/tool')
    put('.ssh/id')
    expect(shown('bin').readable).toEqual(['bin'])
    expect(toolchains({ path: home, home, programs: [] }).readable).toEqual([home])
  })

  it('follow links out of a folder of programs', () => {
    put('.local/share/pipx/venvs/black/bin/black')
    put('.local/share/keyrings/login')
    mkdirSync(join(home, '.local/bin'))
    symlinkSync('../share/pipx/venvs/black/bin/black', join(home, '.local/bin/black'))
    expect(shown('.local/bin').readable).toEqual(['.local/bin', '.local/share/pipx/venvs/black'])
  })

  it("bring Rust's toolchains, not the credentials beside them", () => {
    put('.cargo/bin/cargo')
    put('.cargo/credentials.toml', 'token')
    put('.rustup/toolchains/stable/bin/rustc')
    const { readable, env } = shown('.cargo/bin')
    expect(readable).toEqual(['.cargo/bin', '.rustup'])
    expect(env).toEqual({ RUSTUP_HOME: join(home, '.rustup') })
  })

  it('cover files that hold secrets', () => {
    put('.tools/bin/tool')
    put('.tools/.npmrc', '//registry/:_authToken=secret')
    expect(shown('.tools/bin').covered).toEqual([{ path: join(home, '.tools/.npmrc'), by: '/dev/null' }])
  })

  it('bring the packages beside a program that is started by its full name', () => {
    const program = put('lib/node_modules/tool/cli.js')
    expect(toolchains({ path: '', home, programs: [program] }).readable).toEqual([
      join(home, 'lib/node_modules'),
    ])
  })
})
