import { describe, expect, it } from 'vitest'
import { detectTests } from './detect-tests.ts'

function detect(files: Readonly<Record<string, string>>): Promise<readonly string[] | undefined> {
  return detectTests(async (path) => files[path])
}

const script = (test: string): string => JSON.stringify({ scripts: { test } })

describe('how a project is tested', () => {
  it.each<[string, Record<string, string>, string]>([
    ['a package with a test script', { 'package.json': script('vitest run') }, 'npm test'],
    ['the same with pnpm', { 'package.json': script('x'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
    ['the same with yarn', { 'package.json': script('x'), 'yarn.lock': '' }, 'yarn test'],
    ['Rust', { 'Cargo.toml': '' }, 'cargo test'],
    ['Go', { 'go.mod': '' }, 'go test ./...'],
    ['Python', { 'pyproject.toml': '' }, 'python3 -m pytest -q'],
    ['Python of old', { 'requirements.txt': '' }, 'python3 -m pytest -q'],
    ['a Makefile with a test target', { Makefile: 'all:\n\ntest:\n\t./run' }, 'make test'],
    ['a makefile in small letters', { makefile: 'test: all' }, 'make test'],
  ])('%s (C-29)', async (_name, files, command) => {
    expect((await detect(files))?.join(' ')).toBe(command)
  })

  it('the placeholder of npm init is no test', async () => {
    const files = { 'package.json': script('echo "Error: no test specified" && exit 1') }
    expect(await detect(files)).toBeUndefined()
    expect(await detect({ ...files, 'Cargo.toml': '' })).toEqual(['cargo', 'test'])
  })

  it.each([
    ['nothing', {}],
    ['a package without scripts', { 'package.json': '{}' }],
    ['a package.json that is no JSON', { 'package.json': '{' }],
    ['a package.json that is a list', { 'package.json': '[]' }],
    ['a Makefile without a test target', { Makefile: 'all:\n\techo test:' }],
  ])('%s tells nothing', async (_name, files) => {
    expect(await detect(files)).toBeUndefined()
  })
})
