// What is typed while agents work, at a terminal as a person has it: it is neither seen nor taken for an answer.
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { codeCache, program, smallProject, thenAsk } from '../e2e/baton.ts'
import { makeFolder } from '../support/git.ts'
import { openScreen } from '../support/screen.ts'

const question = '(empty line: decide later) >'

/** A run whose agent goes on when a file is there. */
async function working() {
  const folder = await makeFolder()
  const go = join(folder, 'go')
  const { root, script } = await smallProject(
    `roles:
  worker:
    - runs: [[sh, -c, 'until test -e "${go}"; do sleep 0.1; done']]
      writes: { work.txt: "done\\n" }
      answer: { status: success }
`,
    thenAsk,
  )
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CACHE_HOME: codeCache, LANG: 'C.UTF-8' }
  const screen = await openScreen({ columns: 80, rows: 24, cwd: root, env })
  await screen.type(
    `'${process.execPath}' '${program}' run 'Write the work' --script '${script}'; echo "exit $?"`,
  )
  await screen.shows('| WORKER')
  return { screen, folder: dirname(root), go: () => writeFile(go, '') }
}

test('keys that are typed while an agent works answer no question that comes later, and leave no trace', async () => {
  const { screen, go } = await working()
  for (const key of ['approve', 'Enter', 'Enter', 'reject half a line']) await screen.key(key)
  await go()
  const asked = await screen.shows(question)
  expect(asked).not.toMatch(/approve\n\n|reject half|A person said/)
  expect(asked.match(/WORKER, scripted/g)).toBeNull()
  for (const key of ['approve', 'Enter']) await screen.key(key)
  expect(await screen.prompt()).toMatch(/A person said: approve\.[^]*exit 0/)
})

test('Ctrl-Z and fg, Ctrl-C and the end of a run leave a terminal that shows what is typed', async () => {
  const { screen, go } = await working()
  await screen.key('C-z')
  await screen.prompt()
  expect(await screen.command('stty -a | tr " " "\\n" | grep -x -e echo -e icanon')).toMatch(/icanon\necho$/)
  await screen.type('fg; echo "exit $?"')
  await screen.shows('| WORKER')
  for (const key of ['unseen', 'Enter', 'C-c']) await screen.key(key)
  const stopped = await screen.prompt()
  expect(stopped).toContain('exit 130')
  expect(stopped).not.toContain('unseen')
  expect(await screen.command('stty -a | tr " " "\\n" | grep -x -e echo -e icanon')).toMatch(/icanon\necho$/)
  await go()
})
