import { builtInReads, reservedTargets } from '../model/built-in-names.ts'
import { gateFindings } from './check-gates.ts'
import { writeInstead } from './nearest.ts'
import { roleKeysOf } from './normalize-role.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

const kinds = ['agent', 'check', 'do', 'each', 'ask', 'verify'] as const

/** Each step by itself: its id, its kind, the keys that belong to it, the names it uses. */
export function checkSteps(outline: Outline, vocabulary: Vocabulary): Finding[] {
  return [
    ...sameIds(outline),
    ...outline.steps.flatMap((place) => [
      ...idFindings(place),
      ...kindFindings(place),
      ...foreignKeys(place),
      ...eachFindings(place, outline),
      ...actionFindings(place, vocabulary),
      ...gateFindings(place, outline, vocabulary),
      ...readFindings(place, outline),
      ...setFindings(place, outline),
    ]),
    ...circles(outline),
  ]
}

function sameIds({ steps }: Outline): Finding[] {
  return steps.flatMap(({ step, path }, index) => {
    if (!steps.slice(0, index).some((earlier) => earlier.step.id === step.id)) return []
    const message = `another step is already called '${step.id}'`
    return [{ path: [...path, 'id'], message, fix: 'give one of them another id' }]
  })
}

function idFindings({ step, path }: StepPlace): Finding[] {
  const reserved: readonly string[] = [...reservedTargets, ...builtInReads]
  if (!reserved.includes(step.id)) return []
  const message = `'${step.id}' is a reserved word and cannot be an id`
  return [{ path: [...path, 'id'], message, fix: `choose another id than ${reserved.join(', ')}` }]
}

function kindFindings({ step, path }: StepPlace): Finding[] {
  const [first, second] = Object.keys(step).filter((key) => (kinds as readonly string[]).includes(key))
  if (first === undefined) {
    return [
      { path, message: `step '${step.id}' does not say what to do`, fix: `add one of ${kinds.join(', ')}` },
    ]
  }
  if (second === undefined) return []
  const message = `step '${step.id}' has both '${first}' and '${second}'`
  return [
    {
      path: [...path, second],
      atKey: true,
      message,
      fix: 'keep one of them, and make a second step of the other',
    },
  ]
}

/** Keys that mean nothing for the kind of step are mistakes in the making. */
function foreignKeys({ step, path }: StepPlace): Finding[] {
  const isAgent = step.agent !== undefined
  const ofRole = Object.keys(roleKeysOf(step)).filter(
    (key) => !isAgent && !(step.check !== undefined && key === 'timeout'),
  )
  const ofEach = ['steps', 'only', 'attempts'].filter((key) => key in step && step.each === undefined)
  const finding = (key: string, kind: string): Finding => ({
    path: [...path, key],
    atKey: true,
    message: `'${key}' of step '${step.id}' is only for '${kind}' steps`,
    fix: `remove '${key}'`,
  })
  return [...ofRole.map((key) => finding(key, 'agent')), ...ofEach.map((key) => finding(key, 'each'))]
}

function eachFindings({ step, path }: StepPlace, { file, ids }: Outline): Finding[] {
  if (step.each === undefined) return []
  const inputs = Object.keys(file.inputs ?? {})
  const steps = [...ids].filter((id) => !inputs.includes(id))
  return [
    ...listFindings({ list: step.each, names: [...ids, ...inputs], steps }).map((found) => ({
      path: [...path, 'each'],
      ...found,
    })),
    ...innerFindings(step.steps, Object.keys(file.fragments ?? {})).map((found) => ({
      path: step.steps === undefined ? path : [...path, 'steps'],
      ...found,
    })),
  ]
}

/** `plan.tasks` is a list in an answer, `tasks` or `{tasks}` one that was given, `docs/tasks.md` a file. */
function listFindings({
  list,
  names,
  steps,
}: {
  list: string
  names: readonly string[]
  steps: readonly string[]
}): Pick<Finding, 'message' | 'fix'>[] {
  // A Markdown list of tasks: what is in it is seen when the run comes there.
  if (/[/]|\.md$/.test(list)) return []
  const [root = '', ...rest] = list.replaceAll(/^\{|\}$/g, '').split('.')
  if (steps.includes(root) && rest.length === 0) {
    const message = `'each' names step '${root}', but not which list of its answer`
    return [{ message, fix: `write '${root}.<field>', for example '${root}.tasks'` }]
  }
  if (names.includes(root)) return []
  const fix = writeInstead(root, names, (name) => `'${[name, ...rest].join('.')}'`)
  return [{ message: `'each' names '${root}', which is no step`, fix }]
}

function innerFindings(steps: unknown, fragments: readonly string[]): Pick<Finding, 'message' | 'fix'>[] {
  if (steps === undefined) {
    return [
      { message: "'each' needs 'steps'", fix: "add 'steps:' with a list of steps or a fragment's name" },
    ]
  }
  if (typeof steps !== 'string' || fragments.includes(steps)) return []
  return [{ message: `there is no fragment '${steps}'`, fix: writeInstead(steps, fragments) }]
}

function actionFindings({ step, path }: StepPlace, { actions }: Vocabulary): Finding[] {
  if (step.do === undefined || Object.hasOwn(actions, step.do)) return []
  const fix = writeInstead(step.do, Object.keys(actions))
  return [{ path: [...path, 'do'], message: `unknown action '${step.do}'`, fix }]
}

function readFindings({ step, path }: StepPlace, { ids }: Outline): Finding[] {
  const known = [...ids, ...builtInReads]
  return (step.reads ?? []).flatMap((name, index) => {
    if (known.includes(name)) return []
    const message = `'reads' of step '${step.id}' names '${name}', which is no step`
    return [{ path: [...path, 'reads', index], message, fix: writeInstead(name, known) }]
  })
}

/** A value that a step sets is one that the run was begun with. */
function setFindings({ step, path }: StepPlace, { file }: Outline): Finding[] {
  const known = Object.keys(file.inputs ?? {})
  return Object.keys(step.sets ?? {}).flatMap((name) => {
    if (known.includes(name)) return []
    const message = `'sets' of step '${step.id}' names '${name}', which is no input`
    return [{ path: [...path, 'sets', name], atKey: true, message, fix: writeInstead(name, known) }]
  })
}

/** A fragment whose `each` runs the same fragment again has no end; a `call` has one, its limit. */
function circles(outline: Outline): Finding[] {
  return outline.steps.flatMap(({ step, path }) => {
    if (path[0] !== 'fragments' || typeof step.steps !== 'string') return []
    if (!isInside(String(path[1]), step.steps, outline)) return []
    const message = `fragment '${step.steps}' contains itself`
    return [{ path: [...path, 'steps'], message, fix: "use a route with 'call', which has a limit" }]
  })
}

function isInside(wanted: string, from: string, { steps }: Outline): boolean {
  const seen = new Set<string>()
  const waiting = [from]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === wanted) return true
    if (seen.has(name)) continue
    seen.add(name)
    const inner = steps.filter(({ path }) => path[0] === 'fragments' && path[1] === name)
    waiting.push(...inner.flatMap(({ step }) => (typeof step.steps === 'string' ? [step.steps] : [])))
  }
  return false
}
