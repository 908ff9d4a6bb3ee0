// What cannot work is refused before anything is made: two lines, exit 2, and the repository as it was.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import type { Files } from '../support/git.ts'
import {
  baton,
  documentOf,
  noTraces,
  refusalOf,
  scriptBeside,
  smallProject,
  smallWorkflow,
  tracesIn,
  works,
} from './baton.ts'

interface Refusal {
  readonly args: readonly string[]
  readonly files?: Files
  readonly error: string | RegExp
  readonly next: string | RegExp
}

let shared: Promise<{ root: string; script: string }> | undefined

/** Refused in a repository that afterwards is as it was before: that is why one is enough for many of these. */
async function refuses({ args, files, error, next }: Refusal): Promise<void> {
  const { root, script } = files ? await projectWith(files) : await (shared ??= smallProject(works))
  const refusal = refusalOf(
    await baton(
      root,
      args.map((word) => word.replace('SCRIPT', script)),
    ),
  )
  expect(refusal.error.replaceAll(root, 'ROOT')).toMatch(error)
  expect(refusal.next.replaceAll(root, 'ROOT')).toMatch(next)
  expect(await tracesIn(root)).toEqual(noTraces)
}

async function projectWith(files: Files): Promise<{ root: string; script: string }> {
  const project = await smallProject(works)
  await writeFiles(project.root, files)
  await commitAll(project.root, 'more files')
  return project
}

describe.concurrent('where a run cannot be', () => {
  test('a run outside a repository is refused', async () => {
    const folder = await makeFolder()
    const { error, next } = refusalOf(await baton(folder, ['run', 'Fix it']))
    expect(error).toBe(`Not inside a git repository: ${folder}`)
    expect(next).toContain('git init')
  })

  test.each([['run', 'Fix it', '--script', 'SCRIPT'], ['demo']])(
    '%s where agents would find no git is refused, though we find it ourselves',
    async (...words) => {
      const { root, script } = await smallProject(works)
      const args = words.map((word) => (word === 'SCRIPT' ? script : word))
      const { error, next } = refusalOf(await baton(root, args, { env: { PATH: '/nowhere' } }))
      expect(error).toBe("Agents would not find git: PATH is '/nowhere'.")
      expect(next).toMatch(/^export PATH=\S+:"\$PATH", then/)
      expect(await tracesIn(root)).toEqual(noTraces)
    },
  )

  test('a run on a branch without a commit is refused', async () => {
    const root = join(await makeFolder(), 'project')
    await mkdir(root)
    await gitIn(root, 'init', '--quiet', '--initial-branch=main')
    const { error, next } = refusalOf(await baton(root, ['run', 'Fix it', '--provider', 'scripted']))
    expect(error).toBe(`The repository has no commit yet: ${root}`)
    expect(next).toContain('git commit')
    expect(await tracesIn(root)).toEqual(noTraces)
  })

  test('a run in a bare repository is refused', async () => {
    const root = await makeFolder()
    await gitIn(root, 'init', '--quiet', '--bare')
    const { error, next } = refusalOf(await baton(root, ['run', 'Fix it']))
    expect(error).toBe(`A bare repository has no files to work on: ${root}`)
    expect(next).toContain('git clone')
  })

  test('a run without --base where no branch is checked out is refused', async () => {
    const { root, script } = await smallProject(works)
    await gitIn(root, 'checkout', '--quiet', '--detach')
    const { error, next } = refusalOf(await baton(root, ['run', 'Fix it', '--script', script]))
    expect(error).toBe(`No branch is checked out in ${root}, and no remote names a default branch`)
    expect(next).toMatch(/^git switch <branch> .*base: <branch>.*--base <branch>/)
    expect(await tracesIn(root)).toEqual(noTraces)
  })
})

describe.concurrent('what a run is given', () => {
  test('R001-137: a run without a task is refused', () =>
    refuses({
      args: ['run', '--script', 'SCRIPT'],
      ...{ error: /^Workflow 'small' needs the input 'task'\.$/, next: /baton run "<task>"/ },
    }))

  test('a verb without its words says how it is typed', () =>
    refuses({
      args: ['goal', ' '],
      ...{
        error: /^'baton goal' needs words: What is to be achieved\.$/,
        next: /^Say it: baton goal "<goal>"$/,
      },
    }))

  test('R001-137: a task of nothing but white space is no task', () =>
    refuses({
      args: ['run', ' \n\t ', '--script', 'SCRIPT'],
      error: /needs the input 'task'/,
      next: /baton run/,
    }))

  test('a task that is missing is asked for with the workflow that was named, not with another', () =>
    refuses({
      args: ['run', '--workflow', '.baton/workflows/small.yaml', '--script', 'SCRIPT'],
      ...{ error: /needs the input 'task'/, next: / baton run --workflow \.baton\/workflows\/small\.yaml "/ },
    }))

  test('R001-136: a task given as argument and with --task is refused', () =>
    refuses({
      args: ['run', 'One', '--task', 'Two', '--script', 'SCRIPT'],
      ...{ error: /^The task was given twice/, next: /^baton run "/ },
    }))

  test('R001-137: a mode that the workflow does not have is refused, and the ones it has are named', () =>
    refuses({
      args: ['run', 'Fix it', '--workflow', 'pipeline', '--mode', 'bugfx', '--script', 'SCRIPT'],
      ...{ error: /^Unknown mode 'bugfx' for workflow 'pipeline'\.$/, next: /bugfix, research, direct/ },
    }))

  test('an input that the workflow does not have is refused, and the right word is named', () =>
    refuses({
      args: ['run', 'Fix it', '--input', 'color=red', '--script', 'SCRIPT'],
      ...{ error: /^Workflow 'small' has no input 'color'\.$/, next: /'colour'/ },
    }))

  test('an input without a value is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--input', 'colour', '--script', 'SCRIPT'],
      ...{ error: /^--input takes name=value, but was given 'colour'\.$/, next: /--input <name>=<value>$/ },
    }))

  test('a time limit that is no duration is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--time-limit', 'soon', '--script', 'SCRIPT'],
      ...{ error: /^'soon' is not a duration\.$/, next: /--time-limit 2h/ },
    }))

  test.each(['0s', '0.1ms', '0h0m', '36525d', `${'9'.repeat(400)}h`])(
    'a time limit of %s, with which nothing could be done, is refused before anything is made',
    (limit) =>
      refuses({
        args: ['run', 'Fix it', '--time-limit', limit, '--script', 'SCRIPT'],
        ...{
          error: /^'\S+' is not a duration longer than 0 and shorter than 100 years/,
          next: /--time-limit 2h/,
        },
      }),
  )

  test.each([
    ['--max-cost', '0', /US dollars above 0, or none/],
    ['--max-cost', '0.00', /US dollars above 0, or none/],
    ['--max-tokens', '0', /a whole number of tokens above 0, or none/],
  ])('%s %s, with which nothing could be done, is refused before anything is made', (flag, limit, error) =>
    refuses({
      args: ['run', 'Fix it', flag, limit, '--script', 'SCRIPT'],
      ...{ error, next: new RegExp(`${flag} \\d`) },
    }),
  )

  test('a way of delivery that does not exist is refused, also where the workflow has no such input', () =>
    refuses({
      args: ['run', 'Fix it', '--deliver', 'pigeon', '--script', 'SCRIPT'],
      ...{ error: /pigeon/, next: /local/ },
    }))

  test('a model without a name is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--model', '', '--script', 'SCRIPT'],
      ...{ error: /^--model: '' is not the name of a model$/, next: /^write the name of a model$/ },
    }))

  test('a base that does not exist is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--base', 'mian', '--script', 'SCRIPT'],
      ...{ error: /^There is no branch or commit named mian in ROOT$/, next: /^git branch --all/ },
    }))

  test('a base that looks like an option is a name and nothing else', () =>
    refuses({
      args: ['run', 'Fix it', '--base=--all', '--script', 'SCRIPT'],
      ...{ error: /--all/, next: /^git branch/ },
    }))

  test('a starting point that does not exist is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--from', 'v9', '--script', 'SCRIPT'],
      ...{
        error: /^The starting point 'v9' is not a commit of this repository\.$/,
        next: /git log --oneline/,
      },
    }))
})

describe.concurrent('what a run is made from', () => {
  test('a workflow that does not exist is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--workflow', 'pipelin', '--script', 'SCRIPT'],
      ...{ error: /pipelin/, next: /pipeline/ },
    }))

  test('a broken workflow file is refused with file, line and column', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'SCRIPT'],
      files: { '.baton/workflows/small.yaml': 'name: small\nsteps:\n  - { id: work, agnet: worker }\n' },
      ...{ error: /^ROOT\/\.baton\/workflows\/small\.yaml:3:\d+: /, next: /\S/ },
    }))

  test('a prompt that does not exist is refused with the line that names it', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'SCRIPT'],
      files: {
        '.baton/workflows/small.yaml':
          'name: small\nroles:\n  worker: { prompt: nobody.md }\nsteps:\n  - { id: work, agent: worker }\n',
      },
      ...{ error: /small\.yaml:3:\d+: .*nobody\.md/, next: /\S/ },
    }))

  test('a provider whose command is missing is refused in exactly these words', async () => {
    const { root } = await smallProject(works)
    const { error } = refusalOf(await baton(root, ['run', 'Fix it', '--provider', 'gemini']))
    expect(error).toBe("Command 'gemini' not found. Please ensure it is installed and in your PATH.")
    expect(await tracesIn(root)).toEqual(noTraces)
  })

  test('a run that is refused leaves not even an entry in .git/info/exclude', async () => {
    const { root } = await smallProject(works)
    refusalOf(await baton(root, ['run', 'Fix it', '--provider', 'gemini']))
    await writeFiles(root, { '.baton/runs/note.txt': 'seen by git\n' })
    expect(await gitIn(root, 'status', '--porcelain', '--untracked-files=all')).toBe(
      '?? .baton/runs/note.txt',
    )
  })

  test('a provider that does not exist is refused', () =>
    refuses({ args: ['run', 'Fix it', '--provider', 'gemni'], error: /gemni/, next: /gemini/ }))

  test('scripted agents without a script are refused', () =>
    refuses({
      args: ['run', 'Fix it'],
      ...{
        error: /the provider scripted needs a script$/,
        next: /^Type the same command .*: --script <file>$/,
      },
    }))

  test('a script that cannot be read is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'nowhere.yaml'],
      ...{
        error: /the script .*nowhere\.yaml cannot be read/,
        next: /^Type the same command .*: --script <file>$/,
      },
    }))

  test('a script that is a folder is refused', () =>
    refuses({
      args: ['run', 'Fix it', '--script', '.baton'],
      error: /\.baton cannot be read/,
      next: /--script/,
    }))

  test('a broken script is refused with file and line', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'broken.yaml'],
      files: { 'broken.yaml': 'roles:\n  worker:\n    - anwser: {}\n' },
      ...{ error: /broken\.yaml:3/, next: /\S/ },
    }))

  test('broken settings are refused with file, line and column', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'SCRIPT'],
      files: { '.baton/config.yaml': 'workflow: small\nprovidr: scripted\n' },
      ...{ error: /^ROOT\/\.baton\/config\.yaml:2:1: .*providr/, next: /provider/ },
    }))

  test('settings that are no YAML are refused with file, line and column', () =>
    refuses({
      args: ['run', 'Fix it', '--script', 'SCRIPT'],
      files: { '.baton/config.yaml': 'workflow: [small\n' },
      ...{ error: /^ROOT\/\.baton\/config\.yaml:\d+:\d+: /, next: /\S/ },
    }))
})

describe.concurrent('what stands in the way', () => {
  const fixed: Files = {
    '.baton/workflows/small.yaml': `name: small
inputs: { task: { required: true } }
policy: { branch: release }
roles: { worker: { prompt: worker.md } }
steps: [{ id: work, agent: worker }]
`,
  }

  test('a branch whose name is taken is not touched: the run is refused', async () => {
    const { root, script } = await projectWith(fixed)
    const tip = await gitIn(root, 'rev-parse', 'main')
    await gitIn(root, 'branch', 'release')
    const { error, next } = refusalOf(await baton(root, ['run', 'Fix it', '--script', script]))
    expect(error).toMatch(/^The branch release exists already/)
    expect(next).toMatch(/^git branch -m release /)
    expect(await tracesIn(root)).toEqual({ ...noTraces, refs: ['refs/heads/release'] })
    expect(await gitIn(root, 'rev-parse', 'release')).toBe(tip)
  })

  test("a branch named 'task' is in the way of task/1-...: the run is refused", async () => {
    const { root, script } = await smallProject(works)
    await gitIn(root, 'branch', 'task')
    const { error, next } = refusalOf(await baton(root, ['run', 'Fix it', '--script', script]))
    expect(error).toMatch(/^The branch task is in the way of task\/1-it/)
    expect(next).toBe('git branch -m task <another-name>')
    expect(await tracesIn(root)).toEqual({ ...noTraces, refs: ['refs/heads/task'] })
  })

  test('a file where a folder has to be is said so (system.refused), and not as a bug', async () => {
    const root = await makeRepository({ '.baton': 'not a folder\n' })
    const args = ['run', 'Fix it', '--provider', 'scripted', '--script', await scriptBeside(root, works)]
    const ended = await baton(root, args)
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^error: ENOTDIR: .*\/\.baton\/runs'\nnext: .+\n$/)
    const made = await baton(root, ['init', '--yes'])
    expect(made).toMatchObject({ code: 1, stdout: '' })
    expect(made.stderr).toMatch(/^error: EEXIST: .*\/\.baton'\nnext: .+\n$/)
  })
})

const firstFact = { ts: '2026-01-01T00:00:00.000Z', role: 'ENGINE', type: 'run.started', data: { run: '1' } }

describe.concurrent('what is typed', () => {
  test.each([
    ['an unknown command', ['rnu', 'Fix it'], /unknown command 'rnu'/],
    ['an unknown flag', ['run', 'Fix it', '--fast'], /unknown option '--fast'/],
    ['a flag without its value', ['run', 'Fix it', '--mode'], /--mode/],
    ['a missing argument', ['approve'], /missing required argument 'run'/],
    ['too many arguments', ['show', '1', '2'], /too many arguments/],
    ['an unknown command under workflow', ['workflow', 'lst'], /unknown command 'lst'/],
  ])('%s is refused, with the command that helps', async (_title, args, error) => {
    const folder = await makeFolder()
    const refusal = refusalOf(await baton(folder, args))
    expect(refusal.error).toMatch(error)
    expect(refusal.next).toMatch(/^baton .*--help$/)
  })

  test.each(['show', 'resume', 'cancel', 'approve 1'])(
    'baton %s in a repository without runs says how to start one',
    async (line) => {
      const { error, next } = refusalOf(await baton(await makeRepository(), line.split(' ')))
      expect(error).toBe('There are no runs in this repository yet.')
      expect(next).toBe('baton run "<what you want done>"')
    },
  )

  test.each(['show 7', 'logs 7', 'reject 7 no', 'show ../1'])(
    'baton %s names a run that does not exist',
    async (line) => {
      const root = await makeRepository()
      await writeFiles(root, { '.baton/runs/1.log.jsonl': `${JSON.stringify(firstFact)}\n` })
      const { error, next } = refusalOf(await baton(root, line.split(' ')))
      expect(error).toBe(`There is no run '${line.split(' ')[1]}' in this repository.`)
      expect(next).toMatch(/^baton runs/)
    },
  )
})

test('a journal that cannot be read hides no other run from the list', async () => {
  const root = await makeRepository()
  const fact = `${JSON.stringify(firstFact)}\n`
  await writeFiles(root, {
    '.baton/runs/1.log.jsonl': fact,
    '.baton/runs/2.log.jsonl': `${fact}no JSON\n${fact}`,
  })
  const { stdout, code } = await baton(root, ['runs', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([
    { run: '2', status: 'unreadable', reason: expect.stringMatching(/2\.log\.jsonl:2: .*damaged here\.$/) },
    { status: 'stopped' },
  ])
})

test('a task that begins with a dash is taken for a flag, and told how it is typed', async () => {
  const root = await makeRepository()
  expect(refusalOf(await baton(root, ['run', '-no dash'])).next).toBe(
    "baton run --help   (a text that begins with a dash: baton run -- '-no dash')",
  )
  expect(refusalOf(await baton(root, ['run', 'x', '--colour'])).next).toBe('baton run --help')
})

describe.concurrent('--json', () => {
  test('gives a refusal as one document on stdout, and the two lines on stderr as always', async () => {
    const { root, script } = await smallProject(works)
    const ended = await baton(root, ['run', 'Fix it', '--base', 'mian', '--script', script, '--json'])
    expect(documentOf(ended)).toEqual({
      error: {
        code: 'base.missing',
        message: `There is no branch or commit named mian in ${root}`,
        next: 'git branch --all  (then pass one of these with --base)',
      },
    })
    refusalOf({ ...ended, stdout: '' })
    expect(await tracesIn(root)).toEqual(noTraces)
  })

  test.each([
    ['a usage error', ['rnu', '--json'], 'usage.invalid'],
    ['no command', ['--json'], 'usage.invalid'],
    ['a command outside a repository', ['--json', 'runs'], 'repository.none'],
    ['a workflow that is not valid', ['workflow', 'validate', 'nowhere', '--json'], 'workflow.missing'],
  ])('gives %s as a document too', async (_title, args, code) => {
    const ended = await baton(await makeFolder(), args)
    expect(documentOf(ended).error.code).toBe(code)
    expect(ended.code).toBe(2)
  })
})

const toFullDisk = { stdoutFile: '/dev/full' }

test.skipIf(process.platform !== 'linux').each([['workflow', 'list'], ['--version'], ['runs', '--json']])(
  'what cannot be printed because the disk is full is two lines and exit 1, not a stack: %s %s',
  async (...words) => {
    const ended = await baton(await makeRepository(), words.filter(Boolean), toFullDisk)
    expect(ended.stderr).toMatch(/^error: .*no space left on device.*\nnext: .*baton resume\n$/)
    expect(ended.code).toBe(1)
  },
)

test('the small workflow of these tests is valid', async () => {
  const root = await makeRepository(smallWorkflow())
  expect((await baton(root, ['workflow', 'validate', 'small'])).code).toBe(0)
})
