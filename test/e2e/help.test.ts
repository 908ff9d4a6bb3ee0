// What the program says about itself.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/git.ts'
import { baton, refusalOf } from './baton.ts'

const commands = [
  ...[
    'run',
    'resume',
    'cancel',
    'runs',
    'show',
    'logs',
    'approve',
    'reject',
    'answer',
    'demo',
    'restore',
    'clean',
    'undo',
    'completion',
    'init',
    'report',
    'replay',
  ],
  ...['workflow', 'workflow list', 'workflow show', 'workflow validate', 'workflow graph', 'workflow eject'],
  ...['prompt', 'prompt show', 'config', 'config show'],
  ...['firewall', 'firewall test', 'firewall explain'],
]

describe.concurrent('--help', () => {
  test.each(commands)('of baton %s ends with an example', async (command) => {
    const { code, stdout, stderr } = await baton(await makeFolder(), [...command.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/\nExample:\n {2}baton /)
  })

  test('of baton itself names every command and ends with an example', async () => {
    const { code, stdout, stderr } = await baton(await makeFolder(), ['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const command of commands.filter((name) => !name.includes(' ')))
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'))
    expect(stdout).toMatch(/\nExample:\n {2}baton demo\n/)
  })
})

describe.concurrent('without a command', () => {
  test.each([
    ['baton', [], /^Usage: baton \[options\] \[command\]/],
    ['baton workflow', ['workflow'], /^Usage: baton workflow \[options\] \[command\]/],
  ])('%s prints its help on stderr and exits 2', async (_title, args, usage) => {
    const { code, stdout, stderr } = await baton(await makeFolder(), args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(usage)
    expect(stderr).toContain('Example:')
  })
})

test.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(await baton(await makeFolder(), [flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('a mistyped command is told what was meant', async () => {
  const { stderr } = await baton(await makeFolder(), ['demoo'])
  expect(stderr).toBe("error: unknown command 'demoo' (Did you mean demo?)\nnext: baton --help\n")
})

describe.concurrent('baton help', () => {
  test.each(['run', 'workflow', 'workflow show', 'config show'])(
    '%s is the same as --help',
    async (command) => {
      const words = command.split(' ')
      const folder = await makeFolder()
      expect(await baton(folder, ['help', ...words])).toEqual(await baton(folder, [...words, '--help']))
    },
  )

  test.each([
    ['help demoo', "unknown command 'demoo' (Did you mean demo?)", 'baton --help'],
    ['demoo --help', "unknown command 'demoo' (Did you mean demo?)", 'baton --help'],
    ['help workflow nope', "unknown command 'nope'", 'baton workflow --help'],
    ['workflow nope -h', "unknown command 'nope'", 'baton workflow --help'],
  ])('where there is no such command, %s says so', async (words, error, next) => {
    expect(refusalOf(await baton(await makeFolder(), words.split(' ')))).toEqual({ error, next })
  })
})
