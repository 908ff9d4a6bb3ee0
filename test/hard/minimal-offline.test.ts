// In a network namespace of its own nothing can be reached but the machine itself, and without more not even that.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { edits, goal, makeProject, plan, scriptOf, stats } from '../support/minimal.ts'
import { root } from '../support/source-files.ts'

const execute = promisify(execFile)
const isolate = 'unshare'

/** The built program in a namespace whose only interface is loopback, which is up only if asked for. */
async function offline(repository: string, script: string): Promise<string> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: repository, XDG_CONFIG_HOME: join(repository, '.git', 'none') },
    BATON: join(root, 'dist/cli/main.cjs'),
    NODE: process.execPath,
  }
  const { stdout } = await execute(isolate, ['-n', 'sh', '-c', script], { cwd: repository, env })
  return stdout
}

const server = `
const http = require('node:http')
const plan = ${JSON.stringify(plan)}
const edits = ${JSON.stringify(edits(['src/stats.py', stats]))}
http.createServer((request, response) => {
  if (request.url === '/v1/models') return response.end('{"data":[{"id":"local"}]}')
  let body = ''
  request.on('data', (part) => (body += part))
  request.on('end', () => {
    const prompt = JSON.parse(body).messages.at(-1).content
    const input = JSON.parse(/^INPUT:\\n([\\s\\S]*?)\\n\\nFORMAT:\\n/m.exec(prompt)[1])
    const answer = input.goal ? plan : input.task ? edits : { task_id: input.task_id, passed: input.pytest_exit_code === 0, report: input.pytest_output }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: ' + JSON.stringify({ choices: [{ delta: { content: JSON.stringify(answer) }, finish_reason: 'stop' }] }) + '\\n\\n')
    response.end('data: [DONE]\\n\\n')
  })
}).listen(11434, '127.0.0.1', () => console.error('ready'))
`

describe('without a network', () => {
  it('R003-14, C-37: a model server on this machine plays the roles', async () => {
    const repository = await makeProject()
    await writeFile(join(repository, '.git', 'server.cjs'), server)
    const printed = await offline(
      repository,
      `ip link set lo up; "$NODE" .git/server.cjs 2>.git/ready & server=$!
      until grep -q ready .git/ready; do sleep 0.2; done
      "$NODE" "$BATON" run --workflow minimal --sandbox off "${goal}" 2>&1; code=$?
      kill $server; wait $server 2>/dev/null; echo "exit $code"; ip -o addr show | wc -l`,
    )
    expect(printed).toMatch(/exit 0\n[12]\n$/)
    expect(printed).toContain('T1 passed.')
  })

  it('R003-14: scripted agents need not even that', async () => {
    const repository = await makeProject()
    await writeFile(join(repository, '.git', 'script.json'), scriptOf({}))
    const printed = await offline(
      repository,
      `"$NODE" "$BATON" run --workflow minimal --provider scripted --script .git/script.json "${goal}" 2>&1; echo "exit $?"`,
    )
    expect(printed).toContain('T1 passed.')
    expect(printed).toMatch(/exit 0\n$/)
  })
})
