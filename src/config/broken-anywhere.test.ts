import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { workflowFileSchema } from '../model/workflow-file.ts'
import { checkWorkflow } from './check-workflow.ts'
import { layersFor } from './layers.ts'
import { normalizeWorkflow } from './normalize-workflow.ts'
import type { Problem } from './problems.ts'
import { parseYamlDocument } from './yaml-document.ts'
import { readAs } from './zod-problems.ts'

const vocabulary = {
  actions: {
    'merge-base': ['clean', 'conflict'],
    archive: ['nothing'],
    deliver: ['moved', 'none', 'offered'],
  },
  gates: gateShapes,
}

/** Words that mean something somewhere, to be put where they mean something else. */
const words = [
  ...[
    'constructor',
    '__proto__',
    'end',
    'author',
    'continue',
    'plan',
    'on',
    'steps',
    '{item}',
    '{docs',
    '&a',
    '*a',
  ],
  ...[
    'null',
    '[]',
    '{}',
    '[',
    '}',
    ': ',
    '- ',
    '? ',
    '"',
    '\t',
    '\n',
    '<<',
    '!!binary',
    '0',
    '1.5',
    'true',
    '',
    '#',
  ],
]

it('A workflow file that is broken anywhere is refused at a place in the file, and never in another way', async () => {
  const text = await readFile(join(layersFor({ env: {} }).at(-1)?.workflows ?? '', 'pipeline.yaml'), 'utf8')
  const pieces = text.split(/(?<=[\s{}[\],:"])|(?=[\s{}[\],:"])/)
  const change = fc.record({ at: fc.nat(pieces.length - 1), word: fc.constantFrom(...words, ...pieces) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const changed = [...pieces]
      for (const { at, word } of changes) changed[at] = word
      const lines = changed.join('').split('\n').length
      for (const { line, column, message, fix } of await problemsIn(changed.join(''))) {
        expect(line).toBeGreaterThan(0)
        expect(line).toBeLessThanOrEqual(lines)
        expect(column).toBeGreaterThan(0)
        expect(`${message}${fix}`).not.toMatch(/undefined|\[object|Invalid input|\n/)
      }
    }),
    { numRuns: 150 },
  )
})

async function problemsIn(text: string): Promise<readonly Problem[]> {
  const document = await parseYamlDocument('w.yaml', text)
  const { value, problems } = readAs(document, workflowFileSchema)
  const found = value ? checkWorkflow(document, value, vocabulary) : problems
  // What nothing is found in can be run.
  if (value && found.length === 0) normalizeWorkflow(value, { defaultProvider: 'alpha' })
  if (!value) expect(found).not.toEqual([])
  return found
}
