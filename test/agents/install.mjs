// Installs the real agent tools, once, into a folder of the tests' own, and says what it found.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { arch, homedir, platform } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const system = `${platform()}-${arch()}`

/** Versions that the adapters were written against. */
const tools = [
  {
    name: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    program: '@google/gemini-cli/bundle/gemini.js',
  },
  {
    name: 'claude',
    packages: ['@anthropic-ai/claude-code@2.1.325'],
    program: `@anthropic-ai/claude-code-${system}/claude`,
  },
  {
    name: 'codex',
    packages: ['@openai/codex@0.166.0'],
    program: '@openai/codex/bin/codex.js',
  },
]

export const cacheFolder =
  process.env['BATON_TEST_AGENTS'] ?? join(process.env['HOME'] ?? homedir(), '.cache', 'baton-test-agents')

/** A folder for PATH in which the three commands are. */
export const binFolder = join(cacheFolder, 'bin')

function install() {
  mkdirSync(binFolder, { recursive: true })
  for (const { name, packages, program } of tools) {
    const folder = join(cacheFolder, `${name}-${packages[0].split('@').at(-1)}`)
    const file = join(folder, 'node_modules', program)
    if (!existsSync(file)) {
      mkdirSync(folder, { recursive: true })
      // Their install scripts are not needed.
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
      const { status } = spawnSync('npm', ['install', '--prefix', folder, ...flags, ...packages], {
        stdio: 'inherit',
      })
      if (status !== 0 || !existsSync(file)) {
        throw new Error(`${packages[0]} could not be installed into ${folder}`)
      }
    }
    rmSync(join(binFolder, name), { force: true })
    symlinkSync(file, join(binFolder, name))
    process.stdout.write(`${name}: ${packages[0]} in ${folder}\n`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) install()
