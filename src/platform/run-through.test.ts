import { expect, it } from 'vitest'
import { runThrough, startBehind } from './run-through.ts'

const surroundings = { cwd: '/', env: { PATH: '/usr/bin:/bin' } }

it('gives the exit code of the command', async () => {
  expect(await runThrough(['sh', '-c', 'exit 7'], surroundings)).toBe(7)
})

it('gives 128 + n for a command that signal n ended', async () => {
  expect(await runThrough(['sh', '-c', 'kill -9 $$'], surroundings)).toBe(137)
})

it('gives 127 for a command that does not exist', async () => {
  expect(await runThrough(['no-such-command'], surroundings)).toBe(127)
})

it('throws where the command is there and its folder is not', async () => {
  await expect(runThrough(['true'], { ...surroundings, cwd: '/no/such/folder' })).rejects.toThrow('ENOENT')
})

it('refuses to leave a command behind that does not exist', async () => {
  await expect(startBehind(['no-such-command'], { ...surroundings, session: true })).rejects.toThrow(
    'no-such-command: command not found',
  )
})
