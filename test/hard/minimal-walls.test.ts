// A model server on this machine plays the roles while what they wrote is tested behind walls.
import { describe, expect, it } from 'vitest'
import { isJsonObject, textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { baton, documentOf } from '../e2e/baton.ts'
import { startModelServer, stream } from '../support/model-server.ts'
import { edits, goal, makeProject, plan, stats } from '../support/minimal.ts'
import { isWalled } from '../support/room.ts'

describe.skipIf(!isWalled)('behind walls', () => {
  it('R003-14, R003-27: the server is asked with each schema, and the tests cannot reach it', async () => {
    const server = await startModelServer((response, { body }) => stream(response, answerTo(body)))
    try {
      // The code that the model wrote must not be able to do what only Baton may.
      const reaching = `import socket, os\n\n\ndef test_alone():\n    try:\n        socket.create_connection(("127.0.0.1", ${new URL(server.url).port}), 2)\n    except OSError:\n        return\n    assert False, "the server could be reached"\n`
      const root = await makeProject({
        '.baton/config.yaml': `http: { base_url: "${server.url}", model: small-model }\n`,
        'workspace/tests/test_alone.py': reaching,
      })
      const ended = await baton(root, [
        'run',
        '--workflow',
        'minimal',
        '--sandbox',
        'required',
        '--json',
        goal,
      ])
      expect(ended.code, ended.stderr).toBe(0)
      expect(documentOf(ended)).toMatchObject({ outcome: 'delivered', walls: 'bubblewrap' })
      const names = server.asked.map(({ body }) => requiredBy(body))
      expect(names).toEqual([['plan_id', 'tasks'], ['edits'], ['task_id', 'passed', 'report']])
    } finally {
      await server.close()
    }
  })
})

function answerTo(body: JsonObject): string {
  const { messages } = body as unknown as { readonly messages: readonly { readonly content: string }[] }
  const [, text = '{}'] = /^INPUT:\n([\s\S]*?)\n\nFORMAT:\n/m.exec(messages.at(-1)?.content ?? '') ?? []
  const input = JSON.parse(text) as JsonObject
  if (input['goal'] !== undefined) return JSON.stringify(plan)
  if (input['task'] !== undefined) return JSON.stringify(edits(['src/stats.py', stats]))
  const { task_id: id, pytest_exit_code: code, pytest_output: output } = input
  return JSON.stringify({ task_id: textOf(id), passed: code === 0, report: textOf(output) })
}

/** The keys that the schema of an answer which is no error asks for. */
function requiredBy(body: JsonObject): unknown {
  const text = JSON.stringify(body['response_format'] ?? {})
  const found: unknown[] = []
  JSON.parse(text, (key, value: unknown) => {
    if (key === 'required') found.push(value)
    return value
  })
  const top = found.filter((one) => Array.isArray(one) && isJsonObject(body))
  return top.find((one) => ['plan_id', 'edits', 'task_id'].includes((one as string[])[0] ?? ''))
}
