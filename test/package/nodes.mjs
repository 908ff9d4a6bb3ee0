// npm run check:nodes [-- 22 24]: the package as others get it, installed into an empty prefix without a network, and its demo on
// each Node. The newest of each line comes from npm; Linux and macOS have such packages, for x64 and arm64.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const wanted = process.argv.slice(2)
const lines = wanted.length > 0 ? wanted : ['20', '22', '24']
const top = mkdtempSync(join(tmpdir(), 'baton-nodes-'))
try {
  const baton = install(top)
  for (const line of lines) tryOn(nodeOf(line), baton)
} finally {
  rmSync(top, { recursive: true, force: true })
}

function install(folder) {
  const prefix = join(folder, 'prefix')
  npm(['pack', '--pack-destination', folder], root)
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  npm(['install', '--global', '--offline', '--prefix', prefix, join(folder, packed)], folder)
  return join(prefix, 'bin/baton')
}

function nodeOf(line) {
  const folder = join(top, `node-${line}`)
  mkdirSync(folder)
  const name = `node-${process.platform}-${process.arch}`
  npm(['install', '--prefix', folder, '--prefer-offline', `${name}@${line}`], folder)
  return join(folder, 'node_modules', name, 'bin/node')
}

function tryOn(node, baton) {
  const env = { PATH: [dirname(node), process.env.PATH].join(delimiter), HOME: top, LANG: 'C.UTF-8' }
  const run = (...args) => execFileSync(node, args, { cwd: top, env, encoding: 'utf8', stdio: 'pipe' })
  const version = run('--version').trim()
  const { outcome } = JSON.parse(run(baton, 'demo', '--json', '--keep', join(top, `demo-${version}`)))
  if (outcome !== 'delivered') throw new Error(`The demo ended ${outcome} on Node ${version}.`)
  process.stdout.write(`Node ${version}: installed, demo delivered\n`)
}

function npm(words, cwd) {
  execFileSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
