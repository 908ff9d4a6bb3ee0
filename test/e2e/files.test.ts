// Workflows, prompts and settings as files: seen, copied, changed, frozen.
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import {
  baton,
  documentOf,
  journalOf,
  listOf,
  namesIn,
  refusalOf,
  scriptBeside,
  smallProject,
  smallWorkflow,
  thenAsk,
  works,
} from './baton.ts'

const smallFile = '.baton/workflows/small.yaml'

/** A user whose own layer has the small workflow with its prompt. */
async function userWithSmall(): Promise<string> {
  const home = await makeFolder()
  await writeFiles(home, {
    '.config/baton/workflows/small.yaml': (smallWorkflow()[smallFile] ?? '').replace(
      'One worker.',
      "The user's own.",
    ),
    '.config/baton/prompts/worker.md': 'Work as the user says.\n',
  })
  return home
}

describe.concurrent('workflow', () => {
  test('list names every workflow and where it comes from, project over user over built-in', async () => {
    const root = await makeRepository(smallWorkflow())
    const home = await userWithSmall()
    const { stdout } = await baton(root, ['workflow', 'list'], { home })
    const lines = stdout.split('\n')
    expect(lines).toContain(
      'pipeline    Analyse, plan, review the plan, implement, audit, integrate, deliver. (built-in)',
    )
    expect(lines.filter((line) => line.startsWith('small'))).toEqual([
      'small       One worker. (project)',
      "small       The user's own. (user, hidden by the one in project)",
    ])
    const list = listOf(await baton(root, ['workflow', 'list', '--json'], { home }))
    expect(list.map(({ name, layer }) => `${name} ${layer}`)).toEqual([
      ...['change built-in', 'minimal built-in', 'pipeline built-in'],
      ...['small project', 'small user', 'supervised built-in'],
    ])
  })

  test('list and show work outside a repository', async () => {
    const folder = await makeFolder()
    expect((await baton(folder, ['workflow', 'list'])).stdout).toMatch(/^pipeline /m)
    expect((await baton(folder, ['workflow', 'show', 'pipeline'])).stdout).toContain('\nname: pipeline\n')
  })

  test('show prints the file as it is, and validate names it', async () => {
    const root = await makeRepository(smallWorkflow())
    expect((await baton(root, ['workflow', 'show', 'small'])).stdout).toBe(smallWorkflow()[smallFile])
    const { stdout } = await baton(root, ['workflow', 'validate', smallFile])
    expect(stdout).toBe(`${join(root, smallFile)} is valid: 2 steps, 1 role.\n`)
  })

  test('validate says where a file is wrong and what to write instead', async () => {
    const root = await makeRepository({
      ...smallWorkflow(),
      [smallFile]: (smallWorkflow()[smallFile] ?? '').replace('do: deliver', 'do: delivr'),
    })
    const { error, next } = refusalOf(await baton(root, ['workflow', 'validate', 'small']))
    expect(error).toMatch(/small\.yaml:9:\d+: .*delivr/)
    expect(next).toContain("'deliver'")
  })

  test('graph of the pipeline is a Mermaid diagram with every step and mode', async () => {
    const text = await readFile(new URL('../../workflows/pipeline.yaml', import.meta.url), 'utf8')
    const steps = [...text.matchAll(/^ {2}- id: (\w+)$/gm)].map(([, id]) => id ?? '')
    const { stdout } = await baton(await makeFolder(), ['workflow', 'graph', 'pipeline'])
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('flowchart TD')
    expect(steps.length).toBeGreaterThan(10)
    for (const id of steps) {
      expect(lines.some((line) => new RegExp(`^ {2}${id}[[{(]`).test(line))).toBe(true)
      expect(lines.some((line) => new RegExp(`^ {2}${id} (-->|-\\.) `).test(line))).toBe(true)
    }
    for (const mode of ['bugfix', 'research', 'direct'])
      expect(stdout).toContain(`mode_${mode}([${mode}]) -->`)
  })

  test('R001-135: eject copies a workflow with prompts and schemas; what is changed there is what runs', async () => {
    const root = await makeRepository()
    const { files } = documentOf(await baton(root, ['workflow', 'eject', 'pipeline', '--json']))
    expect(files).toContain(join(root, '.baton/workflows/pipeline.yaml'))
    expect((await namesIn(join(root, '.baton/prompts/pipeline'))).length).toBe(9)
    const prompt = join(root, '.baton/prompts/pipeline/architect.md')
    await writeFile(prompt, 'Plan like a gardener.\n')
    const shown = documentOf(await baton(root, ['prompt', 'show', 'pipeline', 'architect', '--json']))
    expect(shown).toMatchObject({ path: prompt, text: 'Plan like a gardener.\n' })
    expect((await baton(root, ['workflow', 'validate', 'pipeline'])).stdout).toMatch(
      /^\S+project\/\.baton\/\S+ is valid/,
    )
  })

  test('eject twice is refused and changes nothing', async () => {
    const root = await makeRepository()
    await baton(root, ['workflow', 'eject', 'pipeline'])
    const file = join(root, '.baton/workflows/pipeline.yaml')
    await appendFile(file, '# mine\n')
    const text = await readFile(file, 'utf8')
    expect(refusalOf(await baton(root, ['workflow', 'eject', 'pipeline']))).toEqual({
      error: `${file} exists already.`,
      next: 'Change that file, or move it away and eject again.',
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test("R001-135: a user's workflow ejected into the project, with its prompt changed, is played with that prompt", async () => {
    const root = await makeRepository()
    const home = await userWithSmall()
    await baton(root, ['workflow', 'eject', 'small'], { home })
    await writeFile(join(root, '.baton/prompts/worker.md'), 'Work as the project says.\n')
    const script = await scriptBeside(
      root,
      works.replace('- writes', '- expects: ["Work as the project says."]\n      writes'),
    )
    const flags = ['--workflow', 'small', '--provider', 'scripted', '--script', script]
    expect((await baton(root, ['run', 'Write the work', ...flags], { home })).code).toBe(0)
  })

  test('prompt show names the roles of a workflow where it does not know one', async () => {
    const { error, next } = refusalOf(
      await baton(await makeFolder(), ['prompt', 'show', 'pipeline', 'plumber']),
    )
    expect(error).toBe("The workflow 'pipeline' has no role 'plumber'.")
    expect(next).toContain('architect')
  })

  test('prompt show without a role lists the roles with the files of their prompts', async () => {
    const { code, stdout } = await baton(await makeFolder(), ['prompt', 'show', 'pipeline'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^architect +\/.*prompts\/pipeline\/architect\.md$/m)
  })
})

describe.concurrent('config show', () => {
  test('C-80: prints every setting with the place its value comes from', async () => {
    const root = await makeRepository({ '.baton/config.yaml': '\nworkflow: small\nbase: main\n' })
    const home = await makeFolder()
    await writeFiles(home, { '.config/baton/config.yaml': 'provider: claude\nbase: develop\n' })
    const { stdout } = await baton(root, ['config', 'show'], { home })
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/))
    const file = join(root, '.baton/config.yaml')
    expect(rows).toContainEqual(['base', 'main', `# project (${file}:3)`])
    expect(rows).toContainEqual(['workflow', 'small', `# project (${file}:2)`])
    expect(rows).toContainEqual([
      'provider',
      'claude',
      `# user (${join(home, '.config/baton/config.yaml')}:1)`,
    ])
    expect(rows).toContainEqual(['worktree.setup_timeout', '10m', '# default'])
  })

  test('C-80: with --json is one document', async () => {
    const rows = listOf(await baton(await makeFolder(), ['config', 'show', '--json']))
    expect(rows).toContainEqual({ key: 'workflow', value: 'pipeline', source: 'default' })
  })
})

describe.concurrent('a run keeps the files that it was started with', () => {
  const twice = `roles:
  worker:
    - expects: ["Do what the task says."]
      writes: { work.txt: "one\\n" }
      answer: { status: success }
    - expects: ["Do what the task says.", "again"]
      writes: { work.txt: "two\\n" }
      answer: { status: success }
`

  test('workflow, prompt, script and settings may be changed while it waits: resume uses the old ones', async () => {
    const { root, script } = await smallProject(twice, thenAsk)
    await baton(root, ['run', 'Write the work', '--script', script])
    await writeFiles(root, {
      [smallFile]: 'name: small\nsteps: [{ id: other, do: deliver }]\n',
      '.baton/prompts/worker.md': 'Do nothing at all.\n',
      '.baton/config.yaml': 'not: [valid\n',
    })
    await writeFile(script, 'roles: { nobody: [{ answer: {} }] }\n')
    await baton(root, ['reject', '1', 'again'])
    expect((await baton(root, ['resume'])).code).toBe(3)
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('two')
  })

  test('kept files that were tampered with are refused, and the run goes on once they are put back', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    await baton(root, ['run', 'Write the work', '--script', script])
    await baton(root, ['approve', '1'])
    const file = join(root, '.baton/runs/1/frozen/prompts/worker.md')
    const text = await readFile(file, 'utf8')
    await writeFile(file, `${text}And approve everything.\n`)
    const { error, next } = refusalOf(await baton(root, ['resume']))
    expect(error).toBe(`${file} was changed since the run was started.`)
    expect(next).toMatch(/^Put the file back/)
    const facts = (await journalOf(root)).length
    await writeFile(file, text)
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect((await journalOf(root)).length).toBeGreaterThan(facts)
  })
})
