import { parseDuration } from '../model/duration.ts'
import { isOutcome } from '../model/outcome.ts'
import type { RoleFile } from '../model/step-file.ts'
import { writeInstead } from './nearest.ts'
import { writtenRole } from './normalize-role.ts'
import type { Outline } from './outline.ts'
import type { Finding, Path } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Who does the agent steps: roles that exist, have a prompt, and can be played. */
export function checkRoles(outline: Outline, vocabulary: Vocabulary): Finding[] {
  return [
    ...outline.steps.flatMap(({ step, path }) =>
      step.agent === undefined ? [] : agentFindings(outline, { name: step.agent, path, step }),
    ),
    ...writtenPlaces(outline).flatMap((place) => [
      ...providerFindings(place, vocabulary),
      ...verdictFindings(place),
      ...durationFindings(place),
    ]),
  ]
}

interface RolePlace {
  readonly keys: RoleFile
  readonly path: Path
}

/** Everywhere that keys of a role are written. */
function writtenPlaces({ file, steps }: Outline): RolePlace[] {
  return [
    ...(file.defaults ? [{ keys: file.defaults, path: ['defaults'] }] : []),
    ...Object.entries(file.roles ?? {}).map(([name, keys]) => ({ keys, path: ['roles', name] })),
    ...steps.map(({ step, path }) => ({ keys: step, path })),
  ]
}

interface AgentPlace {
  readonly name: string
  readonly path: Path
  readonly step: Outline['steps'][number]['step']
}

function agentFindings({ file }: Outline, { name, path, step }: AgentPlace): Finding[] {
  const roles = Object.keys(file.roles ?? {})
  if (!roles.includes(name)) {
    const fix = roles.length === 0 ? `add '${name}' under 'roles'` : writeInstead(name, roles)
    return [
      {
        path: [...path, 'agent'],
        message: `step '${step.id}' names role '${name}', which does not exist`,
        fix,
      },
    ]
  }
  if (writtenRole(file, name, step).prompt !== undefined) return []
  const fix = `add 'prompt: ${name}.md'`
  return [{ path: ['roles', name], atKey: true, message: `role '${name}' has no prompt`, fix }]
}

function providerFindings({ keys, path }: RolePlace, { providers }: Vocabulary): Finding[] {
  return (['provider', 'fallback'] as const).flatMap((key) => {
    const name = keys[key]
    if (name === undefined || !providers || providers.includes(name)) return []
    const fix = writeInstead(name, providers)
    return [{ path: [...path, key], message: `unknown provider '${name}'`, fix }]
  })
}

function verdictFindings({ keys, path }: RolePlace): Finding[] {
  return Object.entries(keys.verdicts ?? {}).flatMap(([field, words]) => {
    const at = [...path, 'verdicts', field]
    if (Object.keys(words).length === 0) {
      return [
        {
          path: at,
          atKey: true,
          message: `verdict field '${field}' lists no words`,
          fix: 'add words, such as { PASS: ok, FAIL: revise }',
        },
      ]
    }
    return Object.entries(words).flatMap(([word, outcome]) => wordFindings(word, outcome, [...at, word]))
  })
}

/** A word that is also an outcome, but means another one, would make every `on` ambiguous. */
function wordFindings(word: string, outcome: string, path: Path): Finding[] {
  if (word === 'else') {
    return [{ path, atKey: true, message: "'else' cannot be a verdict word", fix: 'choose another word' }]
  }
  if (!isOutcome(word) || word === outcome) return []
  const message = `verdict word '${word}' is also an outcome and cannot mean '${outcome}'`
  return [{ path, message, fix: `write '${word}'` }]
}

/** These clocks are set when the file is loaded, before any input has a value. */
function durationFindings({ keys, path }: RolePlace): Finding[] {
  const written: [Path, string | undefined][] = [
    [['timeout', 'wall'], keys.timeout?.wall],
    [['timeout', 'idle'], keys.timeout?.idle],
    [['timeout', 'tool'], keys.timeout?.tool],
    [['retry', 'delay'], keys.retry?.delay],
  ]
  return written.flatMap(([inner, value]) => {
    if (value === undefined || parseDuration(value) !== undefined) return []
    const message = `'${inner.join('.')}' cannot be a variable`
    return [{ path: [...path, ...inner], message, fix: 'write a duration such as 90s, 30m or 2h' }]
  })
}
