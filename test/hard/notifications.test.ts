// A whole run whose notifications nobody takes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeOffering } from '../support/forges/offering.ts'
import { writeFiles } from '../support/git.ts'

it('a run goes on where nobody takes its notifications, and records that', async () => {
  const offering = await makeOffering()
  const file = join(offering.home, 'told.json')
  const targets = [{ webhook: 'HOOK_URL' }, { command: ['/bin/sh', '-c', `cat > '${file}'`] }]
  await writeFiles(join(offering.home, '.config', 'baton'), {
    'config.yaml': `provider: scripted\nnotify: ${JSON.stringify(targets)}\n`,
  })
  const env = offering.env as Record<string, string>
  env['HOOK_URL'] = 'http://127.0.0.1:1/secret-path'
  const { outcome } = await offering.start({ flags: { deliver: 'local' } })
  expect(outcome?.state.status).toBe('delivered')
  const journal = await readFile(outcome?.folder.journal ?? '', 'utf8')
  expect(journal).toContain('"about":"notification_failed","target":"HOOK_URL","why":"ECONNREFUSED"')
  expect(journal).not.toContain('secret-path')
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ event: 'delivered', run: '1' })
})
