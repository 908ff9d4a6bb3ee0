// Puts what the command line loads into a few files, dependencies included: Node spends 1 ms on each module it has to
// find, read and link, and `baton run` has 250 of them. What is loaded on demand stays so, in chunks of its own. The
// programs that a run starts are bundled as well, each into one file, so that the package needs no others (0041). The
// modules that tsc wrote stay beside them, for tests.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
const outdir = join(root, 'dist/cli')

for (const name of readdirSync(outdir)) if (/^chunk-.*\.js$/.test(name)) rmSync(join(outdir, name))

const common = {
  absWorkingDir: root,
  // Two folders below the root, as every module is that looks for a file of the package.
  chunkNames: 'chunk-[hash]',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  write: false,
  metafile: true,
  logLevel: 'warning',
}

const built = await Promise.all([
  build({ ...common, entryPoints: ['src/cli/main.ts'], outdir, splitting: true }),
  ...['scripted-agent', 'http-agent'].map((name) =>
    build({ ...common, entryPoints: [`src/agents/${name}.ts`], outdir: join(root, 'dist/agents') }),
  ),
])

// CommonJS packages ask for Node's own modules by `require`, which esbuild looks for in one chunk.
const banner = `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n`
for (const { path, text } of built.flatMap(({ outputFiles }) => outputFiles))
  writeFileSync(path, text.includes('typeof require ') ? `${banner}${text}` : text)

const packages = new Set(
  built
    .flatMap(({ metafile }) => Object.keys(metafile.inputs))
    .flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
)
const notices = [...packages].toSorted().map((name) => {
  const dir = join(root, 'node_modules', name)
  const licence = readdirSync(dir).find((file) => /^licen[cs]e/i.test(file))
  if (licence === undefined) throw new Error(`${name} has no licence text to pass on`)
  return `${name}\n\n${readFileSync(join(dir, licence), 'utf8').trim()}\n`
})
writeFileSync(join(outdir, 'THIRD-PARTY.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
