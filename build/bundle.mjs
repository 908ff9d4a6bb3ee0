// Puts what the command line loads into one file, dependencies included: Node spends 1 ms on each module it has to
// find, read and link, and `baton run` has 250 of them. What is loaded on demand stays so, within that file. It is a
// script and no module, because for those Node 20 has no code cache (0042). The programs that a run starts are bundled
// as well, each into one file, so that the package needs no others (0041). The modules that tsc wrote stay beside
// them, for tests.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { knownSchemasModule } from './known-schemas.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const outdir = join(root, 'dist/cli')

for (const name of readdirSync(outdir)) if (/^program-.*\.cjs$/.test(name)) rmSync(join(outdir, name))

const beyondAscii = /\P{ASCII}/gu

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  write: false,
  metafile: true,
  logLevel: 'warning',
}

const knownSchemas = {
  name: 'known-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /\/known-schemas\.ts$/ }, () => ({ contents: knownSchemasModule(), resolveDir: root }))
  },
}

const program = await build({
  ...common,
  entryPoints: ['src/cli/run-program.ts'],
  outfile: join(outdir, 'program.cjs'),
  format: 'cjs',
  // In a script with a code cache, `import()` is experimental, and Node says so on stderr.
  supported: { 'dynamic-import': false },
  // Two folders below the root, as every module is that looks for a file of the package.
  define: { 'import.meta.url': 'packageUrl' },
  banner: { js: '(function (require, module, exports, packageUrl) {' },
  footer: { js: '})' },
  plugins: [knownSchemas],
})
// In ASCII, which V8 reads as it is: only comments have anything else.
const text = program.outputFiles[0].text.replace(/^\s*(\/[/*]|\*).*$/gm, (line) =>
  line.replace(beyondAscii, '?'),
)
if (beyondAscii.test(text)) throw new Error('the program is read as ASCII')
const programFile = `program-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`
writeFileSync(join(outdir, programFile), text)

/** The file that Node starts has the program in another, unless only the version is asked for. */
const cached = {
  name: 'cached-program',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-program\.ts$/ }, () => ({ path: join(root, 'src/cli/cached-program.ts') }))
  },
}

/** What Node starts: also scripts, because before the first line of a module Node 20 has spent 7 ms on its loader. */
const started = await Promise.all(
  ['cli/main', 'agents/scripted-agent', 'agents/http-agent'].map((name) =>
    build({
      ...common,
      entryPoints: [`src/${name}.ts`],
      outfile: join(root, `dist/${name}.cjs`),
      format: 'cjs',
      define: { programFile: JSON.stringify(programFile), 'import.meta.url': 'packageUrl' },
      banner: { js: `'use strict'\nconst packageUrl = require('node:url').pathToFileURL(__filename).href` },
      plugins: [cached],
    }),
  ),
)
for (const { path, contents } of started.flatMap(({ outputFiles }) => outputFiles))
  writeFileSync(path, contents)

const packages = new Set(
  [program, ...started]
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
